//! Automations on the real application and virtual time: what is due runs once, in order, and gives way to people.

#![expect(clippy::unwrap_used, reason = "these are tests")]

#[path = "automations/clock.rs"]
mod clock;
#[path = "automations/ends.rs"]
mod ends;
#[path = "automations/scene.rs"]
mod scene;
#[path = "automations/schedule.rs"]
mod schedule;
#[path = "automations/slot.rs"]
mod slot;
