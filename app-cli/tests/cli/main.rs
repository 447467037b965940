//! The command as a user has it: the real binary, in folders of its own, with a rehearsed model. No network, no
//! key, no clock; what must happen in another process is waited for, with a deadline.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test that cannot go on says where"
)]

#[cfg(unix)]
mod agents;
mod agui;
mod automations;
mod beside;
mod completing;
mod configuration;
mod copies;
mod costs;
#[cfg(unix)]
mod database_files;
mod databases;
mod decisions;
mod doctor;
mod dry_runs;
mod enrichments;
mod fallbacks;
mod faults;
#[cfg(unix)]
mod files;
mod folded;
mod four_eyes;
mod instructions;
mod knowledge;
mod language;
mod logins;
mod looking;
#[cfg(unix)]
mod meaning;
mod measured;
mod names;
#[cfg(unix)]
mod night;
mod notify;
#[cfg(unix)]
mod office;
#[cfg(unix)]
mod operating;
mod outside;
mod own;
#[cfg(unix)]
mod owners;
mod plans;
#[cfg(unix)]
mod poolers;
#[cfg(unix)]
mod programs;
mod prompts;
mod providers;
mod readers;
#[cfg(unix)]
mod real_servers;
mod relays;
#[cfg(unix)]
mod replicas;
mod rules;
#[cfg(unix)]
mod screen;
#[cfg(unix)]
mod screens;
#[cfg(unix)]
mod secrecy;
mod secrets;
mod server;
#[cfg(unix)]
mod service;
mod slots;
mod stage;
#[cfg(unix)]
mod tasks;
mod telemetry;
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
