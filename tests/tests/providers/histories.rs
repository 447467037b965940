//! Every request that a session can send, checked by a strict server: histories from generated moves through the real
//! machine, written and answered through the real adapters.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on says where")]

mod generated;
mod profiles;
mod replies;
mod servers;
mod session;
