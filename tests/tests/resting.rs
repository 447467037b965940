//! Workspaces that rest: they leave memory, and are woken for what comes due.

#![expect(clippy::unwrap_used, reason = "these are tests")]

#[path = "resting/clock.rs"]
mod clock;
#[path = "resting/leaving.rs"]
mod leaving;
#[path = "resting/scene.rs"]
mod scene;
#[path = "resting/slot.rs"]
mod slot;
#[path = "resting/stopping.rs"]
mod stopping;
#[path = "resting/watchdog.rs"]
mod watchdog;
