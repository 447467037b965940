//! The command as a user has it: the real binary, in folders of its own, with a rehearsed model. No network, no
//! key, no clock; what must happen in another process is waited for, with a deadline.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test that cannot go on says where"
)]

mod automations;
mod beside;
mod completing;
mod configuration;
mod copies;
mod costs;
mod databases;
mod decisions;
mod doctor;
mod enrichments;
mod faults;
#[cfg(unix)]
mod files;
mod four_eyes;
mod language;
mod logins;
mod looking;
mod names;
mod notify;
mod outside;
mod own;
mod prompts;
mod providers;
mod rules;
#[cfg(unix)]
mod screen;
#[cfg(unix)]
mod screens;
mod secrets;
mod server;
mod slots;
mod stage;
#[cfg(unix)]
mod terminal;
#[cfg(unix)]
mod trust;
mod turns;
mod upgrades;
#[cfg(unix)]
mod walk;
mod wall;
mod workspace;
mod zones;
