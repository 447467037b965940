//! Resting workspaces: they leave memory, and are loaded for due work.

#![expect(clippy::unwrap_used, reason = "these are tests")]

mod clock;
mod eviction;
mod fixture;
mod shutdown;
mod slot;
mod watchdog;
