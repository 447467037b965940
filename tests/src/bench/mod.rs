//! The benchmark: the real application on a loopback model that is never the bottleneck.
//!
//! Two processes: this program is the model ([`model`]) and measures from its side; what is measured (the application,
//! or the [`mod@reference`] loop) is a child of its own ([`child`]), so that its CPU and memory are its own. One file for
//! each row.

#![expect(
    clippy::expect_used,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "this measures real time, in a program for developers"
)]

pub mod child;
pub mod growth;
pub mod idle;
pub mod life;
pub mod model;
pub mod options;
pub mod orders;
pub mod place;
pub mod prefix;
pub mod process;
pub mod raw;
pub mod reference;
pub mod resume;
pub mod rounds;
pub mod row;
pub mod run;
pub mod say;
pub mod services;
pub mod streams;
pub mod syscalls;
pub mod tick;
pub mod worker;
