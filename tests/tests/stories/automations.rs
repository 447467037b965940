//! Automations on the real application and virtual time: what is due runs once, in order, and gives way to people.

#![expect(clippy::unwrap_used, reason = "these are tests")]

mod clock;
mod ends;
mod scene;
mod schedule;
mod slot;
