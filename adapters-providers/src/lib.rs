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
//!
//! # Modules, from the bottom
//!
//! Each imports from and calls only those above it: `layers_hold_in_every_crate` reads this table, and a new module gets its
//! row here.
//!
//! | module | what it is |
//! |---|---|
//! | `text` | Helpers for JSON text that must stay byte-identical. |
//! | `sse` | Decoder of server-sent events: bytes in, frames out. |
//! | `retry_after` | Retry delays that a provider requests: `retry-after-ms`, then `retry-after` (seconds, or an HTTP date), and without either the reset times of exhausted rate limits. |
//! | `provider_kind` | The enumerations of a configuration entry: API, output shape, cache and key header. |
//! | `encoder_version` | Versions of the request encoders. |
//! | `token_price` | Prices in their configured form: dollars per million tokens. |
//! | `call_id_format` | Formats of native call ids that servers accept. |
//! | `schema_fit` | Checks which JSON Schemas a provider can enforce. |
//! | `schema_narrowing` | Narrows schemas so that a provider can enforce them. |
//! | `failure` | Failures of provider calls and their texts for people. |
//! | `server_error` | Parses the error body of a server leniently. |
//! | `failure_table` | Classifies failures of every wire and gateway: one table of codes and types, statuses, and words. |
//! | `answer_limits` | The limits that may cut an answer: its own output limit, or the context window that prompt and answer share. |
//! | `profiles` | Profiles: the differences between providers of the same dialect, as data. |
//! | `tool_call_ids` | Replaces ids of native calls by ids that every server accepts. |
//! | `config` | Configuration entry `[providers.NAME]`. |
//! | `api_key` | The API key of a provider: its source, the header that carries it, and its removal from everything shown. |
//! | `prices` | Prices of tokens: those of an entry, or those of the table that is part of this version. |
//! | `transport` | HTTP transport: one request, its answer, and the classification of a broken connection. |
//! | `timed_client` | HTTP client for custom wire adapters: one attempt, no retry, no redirect, a limit for every wait. |
//! | `encoder_settings` | The part of a configuration entry that request bodies contain, and the context that answers are decoded with. |
//! | `dialect` | Interface of a wire dialect to the client: pure mappings, no connection. |
//! | `encoding` | Stored text of the encoder settings at the beginning of a prompt generation. |
//! | `prompt_files` | The files of a conversation that a model can look at. |
//! | `turn_parts` | Places the texts of a turn beside its call results. |
//! | `request_body` | Encodes the body of a call in three pieces: its opening, the conversation, and the closing fields. |
//! | `anthropic_messages` | The Messages API of Claude, version 2026-10-21, and of compatible servers. |
//! | `responses` | The Responses API of OpenAI. |
//! | `chat_completions` | Chat Completions, as served by Groq and compatible servers. |
//! | `dialect_lookup` | Maps provider kinds to wire dialects: the only module that names all dialects. |
//! | `provider_check` | The smallest model call, with which a provider is checked if its model list does not contain the entry's model. |
//! | `reply_stream` | Reads a streamed answer until it is complete. |
//! | `network_provider` | The HTTP client of every network provider, for any wire dialect. |
//! | `token_count` | Counts the tokens of a request on its server, without answering it. |
//! | `model_list` | The list of models that a server offers, read page by page. |
//! | `window_lookup` | Asks a server for the context window of a model that neither a setting nor a table tells. |
//! | `embedder` | Computes embeddings through an API compatible with OpenAI's `/v1/embeddings`. |
//! | `relay_provider` | The relay model of sessions that an external caller drives: it requests exactly the call that the last message contains. |
//! | `connectivity_probe` | Checks whether an unreachable provider is reachable again by opening a connection, without sending anything. |
//! | `rehearsal` | The rehearsal: a provider without a network that plays a script; `recorder` writes the script of a past session. |
//! | `registry` | The providers of a configuration, each constructed on first use. |
//! | `replaceable_registry` | The providers of a process whose configuration changes while it runs. |
//! | `answer_decoding` | Decodes the answers of an entry's server without a network, with the same mappings that its calls use; for tests that play the server. |
//! | `wire` | Building blocks for custom wire adapters: server-sent events, a client with timeouts, retry delays, and the call ids and schemas that servers accept. |

// Embedders need to know what each failure means, and whether to retry.
#![warn(clippy::missing_errors_doc)]

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
mod prompt_files;
mod provider_check;
mod provider_kind;
pub mod registry;
pub mod rehearsal;
mod relay_provider;
pub mod replaceable_registry;
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
