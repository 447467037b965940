//! Model providers: the port `Provider` over three wire dialects and an offline script.
//!
//! One folder per dialect (`anthropic_messages`, `responses`, `chat_completions`), each with `wire` (serde types only),
//! `request` (neutral to wire), `response` (wire to neutral), `stream` (a pure assembler of stream events) and `error`
//! (status and body to failure class). All of these are pure; only `network_provider`, `reply_stream` and `transport`
//! await. `profiles` are data: addresses, headers and quirks. `encoding` stores how the requests of a generation are
//! written. [`rehearsal`] plays a script.
//!
//! This crate never retries, sleeps (the rehearsal waits through the clock port), reads a clock or the environment,
//! decides the consequences of a failure for a session, or shows a secret.
//!
//! [`wire`] exports the parts that other wire adapters can reuse.
//!
//! Look next at [`config::ProviderConfig`] (a configuration entry) and [`registry::ConfigProviderRegistry`].

pub mod answer_decoding;
mod answer_limits;
mod anthropic_messages;
mod api_key;
mod call_id_format;
mod chat_completions;
pub mod config;
pub mod connectivity_probe;
mod dialect;
mod dialect_lookup;
pub mod embedder;
mod encoder_settings;
mod encoder_version;
mod encoding;
mod failure;
mod failure_table;
mod model_list;
mod network_provider;
pub mod prices;
mod profiles;
mod provider_check;
mod provider_kind;
pub mod registry;
pub mod rehearsal;
mod relay_provider;
mod reply_stream;
mod request_body;
mod responses;
mod retry_after;
mod schema_fit;
mod schema_narrowing;
mod server_error;
mod sse;
mod text;
mod timed_client;
mod token_count;
mod token_price;
mod tool_call_ids;
mod transport;
mod turn_parts;
mod window_lookup;
pub mod wire;

#[cfg(test)]
mod stream_end_tests;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod unknown_block_tests;
