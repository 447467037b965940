//! Automations on the real application and virtual time: due occurrences run once, in order, and yield to people.

#![expect(clippy::unwrap_used, reason = "these are tests")]

mod clock;
mod fixture;
mod run_ends;
mod schedule;
mod slot;
