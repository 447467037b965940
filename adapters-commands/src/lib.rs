//! Executors: the commands that sessions run.
//!
//! - [`resources`]: the workspace's own data (zones, tools and their entries). It *plans*: what it decides is
//!   written by the commit that records the call's outcome, never by the executor.
//! - [`file_log`]: a journal file, an outside effect that one can count; for the demo and the crash tests.
//! - [`egress`]: the one HTTP client that may call addresses from outside.
//! - [`http`]: commands that are one HTTP request each, declared in the configuration.
//! - [`HttpContext`]: the user context from outside, by one of those declarations.
//! - [`knowledge`]: documents, and the commands that search and read them.
//! - `mcp`: the tools of MCP servers (feature `mcp`, off by default: it brings the SDK of that protocol).
//! - [`notify`]: carries notifications out, which no model asks for.
//!
//! An executor never retries, never waits on purpose, never reads a clock or the environment, and never asks
//! for approval: time, attempts and decisions are the machine's, and reach it inside the request.

mod call_outcome;
mod configured_secrets;
mod context;
mod declaration_checks;
mod display_text;
pub mod egress;
pub mod http;
pub mod journal_file;
mod json;
pub mod knowledge;
#[cfg(feature = "mcp")]
pub mod mcp;
pub mod notify;
pub mod resources;
pub mod secret;
pub mod tasks;
mod template;
mod webhook;

pub use configured_secrets::ConfiguredSecretValues;
pub use context::HttpContext;
pub use http::HttpToolExecutor;
pub use journal_file::JournalFileExecutor;
#[cfg(feature = "mcp")]
pub use mcp::McpExecutor;
pub use resources::{ResourcesExecutor, SharedTextLimits};
