//! Every request that a session may ever send, shown to a strict server: histories made by the real machine from
//! generated moves, written by the real adapters, answered over the wire.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on says where")]

mod generated;
mod profiles;
mod replies;
mod servers;
mod session;
