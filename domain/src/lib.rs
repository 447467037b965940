//! The pure heart of Entracte: what a session is, what can happen to it and what follows.
//!
//! No I/O, clock, id generator, randomness or hashing: time, rules, look-ups and content hashes come in as data,
//! so replaying a session's inputs always gives its stored state. Nothing here depends on anything but `std`.
//!
//! Read [`session`] first: [`session::transition`] is what all else is derived from. [`workspace`] says who may
//! work. The words are those of the glossary in `docs/ARCHITECTURE.md`.
#![forbid(unsafe_code)]

pub mod command;
pub mod enrichment;
pub mod id;
pub mod message;
pub mod period;
pub mod question;
pub mod session;
pub mod speech;
pub mod time;
pub mod usage;
pub mod validation;
pub mod value;
pub mod workspace;
