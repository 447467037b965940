//! Executors: the commands that sessions run.
//!
//! - [`resources`]: the workspace's own data (shared texts; with the feature `resources`, off by default, zones, tools
//!   and their entries). It *plans* changes; the commit that records the call's outcome writes them, never the executor.
//! - [`journal_file`]: a file that stands for an external effect that can be counted; for the demo and the crash
//!   tests.
//! - [`egress`]: the only HTTP client for outside addresses.
//! - [`http`]: commands that are one HTTP request each, declared in the configuration.
//! - [`HttpContext`]: the user context from an external source, as such a declaration.
//! - [`knowledge`]: documents, and the commands that search and read them.
//! - [`tasks`]: commands that dispatch long tasks to task servers.
//! - `mcp`: the tools of MCP servers (feature `mcp`, off by default: it adds the SDK of that protocol).
//! - [`notify`]: sends notifications, which no model can request.
//! - [`policy`]: the policy hook, which decides about calls before a person is asked.
//!
//! An executor never retries, never waits on purpose, never reads a clock or the environment, and never asks for
//! approval: time, attempts and decisions belong to the state machine, and are part of the request.
//!
//! # Modules, from the bottom
//!
//! Each imports from and calls only those above it: `layers_hold_in_every_crate` reads this table, and a new module gets its
//! row here.
//!
//! | module | what it is |
//! |---|---|
//! | `json` | Builds and changes JSON values. |
//! | `display_text` | Sentences shown to a person who decides on a call. |
//! | `call_outcome` | Constructors of call outcomes, as the executor port defines them. |
//! | `result_files` | Files that the results of calls bring, stored so that a model sees them. |
//! | `tls` | TLS of HTTP clients, with the cryptography that the program passes in. |
//! | `egress` | The only HTTP client for outside addresses. |
//! | `declaration_checks` | Checks that every declared command must pass: its name, texts, schema and example. |
//! | `tool_approvers` | Who must approve calls of a tool, as its entry says. |
//! | `limited_program` | Runs another program that the operator named, with bounds and without a shell. |
//! | `secret` | Secrets: where they are stored, what they are declared for and where they may go (adr 80), and personal secrets. |
//! | `webhook` | Messages signed as Standard Webhooks 1 defines, outgoing and incoming. |
//! | `notify` | Sends notifications: to a webhook, to an ntfy topic, to a browser (`notify/push`), to a local program. |
//! | `policy` | The policy hook of the configuration: a program, an HTTP address, or rules in Rego (feature `rego`). |
//! | `resources` | The executor of a workspace's own data: shared texts and, as a feature, zones, tools and entries. It plans changes and never writes. |
//! | `journal_file` | The journal file: an external effect that can be counted. |
//! | `template` | URL templates: RFC 6570, level 1. |
//! | `card_template` | Templates of the configuration for the sentence of an approval card. |
//! | `http` | Commands that are one HTTP request each, declared in the configuration. |
//! | `tasks` | Commands that dispatch long tasks to another service, declared in the configuration. |
//! | `context` | User context from an external source: a declared HTTP tool that is not a command. |
//! | `knowledge` | Documents: reads files of each format, PDFs and large files in a separate bounded process (adr 81), and runs the commands by which models search and read them. |
//! | `mcp` | Tools of MCP servers as commands, each only as a person accepted it; resources, prompts and questions; `mcp/login`; `mcp/catalog_server`, the server side of the protocol. |
//! | `configured_secrets` | All secrets of a configuration, for scrubbing them from what a model writes (the port `SecretScrubberFactory`). |

// Embedders need to know what each failure means, and whether to retry.
#![warn(clippy::missing_errors_doc)]

mod call_outcome;
mod card_template;
mod configured_secrets;
mod context;
mod declaration_checks;
mod display_text;
pub mod egress;
pub mod http;
pub mod journal_file;
mod json;
pub mod knowledge;
mod limited_program;
#[cfg(feature = "mcp")]
pub mod mcp;
pub mod notify;
pub mod policy;
pub mod resources;
mod result_files;
pub mod secret;
pub mod tasks;
mod template;
mod tls;
mod tool_approvers;
mod webhook;

pub use configured_secrets::ConfiguredSecretValues;
pub use context::HttpContext;
pub use http::HttpToolExecutor;
pub use journal_file::JournalFileExecutor;
#[cfg(feature = "mcp")]
pub use mcp::McpExecutor;
pub use resources::{ResourcesExecutor, SharedTextLimits};
pub use result_files::ResultFiles;
