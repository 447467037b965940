//! Workspaces that rest: they leave memory, and are woken for what comes due.

#![expect(clippy::unwrap_used, reason = "these are tests")]

mod clock;
mod eviction;
mod fixture;
mod shutdown;
mod slot;
mod watchdog;
