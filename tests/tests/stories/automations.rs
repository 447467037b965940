//! Automations on the real application and virtual time: what is due runs once, in order, and gives way to people.

#![expect(clippy::unwrap_used, reason = "these are tests")]

mod clock;
mod fixture;
mod run_ends;
mod schedule;
mod slot;
