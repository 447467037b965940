//! The command as a user has it: the real binary, in folders of its own, with a rehearsed model. No network, no
//! key, no clock; what must happen in another process is waited for, with a deadline.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on says where")]

mod automations;
mod beside;
mod configuration;
mod copies;
mod decisions;
mod doctor;
mod enrichments;
mod looking;
mod prompts;
mod providers;
mod rules;
mod stage;
mod turns;
mod workspace;
