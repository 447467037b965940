//! Commands: the catalog, and the resolution of every requested call.
//!
//! - [`Catalog`]: every command that exists, declared once by its executor.
//! - [`CommandPipeline`]: turns a model's requests into facts of its reply (known or not, arguments valid or not,
//!   approval needed or not, identical calls in the ledger); the state machine decides by them.
//! - [`compose_message`]: a text with enrichments, the references of a person that become queries of the catalog.
//! - [`resolver`]: gathers the levels of the validation.
//!
//! Nothing here runs a command; effects start at the state machine's gate only.

mod agents;
mod call_outcomes;
mod catalog;
mod compose_message;
mod context;
mod current_catalog;
mod deceptive_values;
mod external_tools;
mod files;
mod find_commands;
mod history;
mod memoized_reader;
mod own_session_queries;
mod pipeline;
mod plans;
pub mod resolver;
mod results;
mod standing_approval;
mod tasks;

pub use agents::AgentsExecutor;
pub use catalog::{Catalog, CatalogEntry, CatalogError, RefusedCommand};
pub use compose_message::compose_message;
pub use context::{CONTEXT_CACHE, CONTEXT_TIMEOUT, ContextExecutor, WorkspaceContextSource};
pub use current_catalog::CurrentCatalog;
pub use files::FilesExecutor;
pub use find_commands::{FIND_WORD, FindCommandsExecutor};
pub use history::HistoryExecutor;
pub(crate) use memoized_reader::MemoizedResourceReader;
pub use own_session_queries::OWN_SESSION_QUERIES;
pub use pipeline::{
    CallAttempt, CallLookupContext, CommandInvocation, CommandPipeline, ExchangeCommandIndex, request_for,
};
pub(crate) use pipeline::{agents_of, commands_of, denial_reason, edit_faults, may_ask};
pub use plans::PlansExecutor;
pub use results::{RESULT_MAX_CHARS, ResultsExecutor, content_of};
pub(crate) use results::{ResultParts, result_parts};
pub use standing_approval::{standing_approval_conditions, standing_approval_widths};
pub use tasks::TasksExecutor;

#[cfg(test)]
mod tests;
