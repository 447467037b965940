//! Executors: the commands that sessions run.
//!
//! - [`resources`]: the workspace's own data (zones, tools and their entries). It *plans* changes; the commit that
//!   records the call's outcome writes them, never the executor.
//! - [`journal_file`]: a file that stands for an external effect that can be counted; for the demo and the crash
//!   tests.
//! - [`egress`]: the only HTTP client for outside addresses.
//! - [`http`]: commands that are one HTTP request each, declared in the configuration.
//! - [`HttpContext`]: the user context from an external source, as such a declaration.
//! - [`knowledge`]: documents, and the commands that search and read them.
//! - [`tasks`]: commands that dispatch long tasks to task servers.
//! - `mcp`: the tools of MCP servers (feature `mcp`, off by default: it adds the SDK of that protocol).
//! - [`notify`]: sends notifications, which no model can request.
//!
//! An executor never retries, never waits on purpose, never reads a clock or the environment, and never asks for
//! approval: time, attempts and decisions belong to the state machine, and are part of the request.

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
