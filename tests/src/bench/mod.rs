//! The benchmark: the real application on a loopback model that is never the bottleneck.
//!
//! Two processes: this program is the model ([`model_server`]) and measures from its side; the measured application (or
//! the [`mod@reference`] loop) runs in a child process ([`child`]), so that its CPU and memory are counted separately.
//! One file per row.

#![expect(
    clippy::expect_used,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "this measures real time, in a program for developers"
)]

pub mod child;
pub mod database;
pub mod endurance;
pub mod files;
pub mod growth;
pub mod idle;
pub mod model_replies;
pub mod model_server;
pub mod money;
pub mod options;
pub mod process;
pub mod program;
pub mod prompt_prefix;
pub mod raw_commits;
pub mod reference;
pub mod result_row;
pub mod resume;
pub mod retention;
pub mod rounds;
pub mod runner;
pub mod schedule_tick;
pub mod services;
pub mod streams;
pub mod syscalls;
pub mod worker;
pub mod worker_protocol;
