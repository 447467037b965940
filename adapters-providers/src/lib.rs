//! Model providers: the port `Provider`, spoken over three wire dialects and one offline script.
//!
//! One folder per dialect (`anthropic_messages`, `responses`, `chat_completions`), each with `wire` (serde types
//! only), `request` (neutral to wire), `response` (wire to neutral), `stream` (a pure assembler of stream
//! events) and `error` (status and body to failure class). All of that is pure; only `client`,
//! `listening` and `transport` await. `profiles` are data: addresses, headers and quirks. `encoding` keeps how a
//! generation is written. [`rehearsal`] plays a script.
//!
//! What this crate never does: retry, sleep (the rehearsal waits through the clock port), read a clock or the
//! environment, decide what a failure means for a session, or show a secret.
//!
//! [`wire`] is what the wire of somebody else can use of it.
//!
//! Look next at [`config::ProviderConfig`] (an entry of the configuration) and [`registry::Registry`].

pub mod answers;
mod anthropic_messages;
mod beside;
mod body;
mod call_ids;
mod chat_completions;
mod check;
mod client;
pub mod config;
mod counting;
mod dialect;
pub mod embedder;
mod encoding;
mod failure;
mod good_ids;
mod key;
mod kind;
mod listening;
mod listing;
mod narrow;
mod price;
pub mod prices;
pub mod probe;
mod profiles;
pub mod registry;
pub mod rehearsal;
mod relay;
mod responses;
mod retry_after;
mod schema_fit;
mod server_error;
mod settings;
mod spoken;
mod sse;
mod text;
mod timed;
mod transport;
pub mod wire;
mod writing;

#[cfg(test)]
mod endings;
#[cfg(test)]
mod testing;
