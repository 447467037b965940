//! Commands: the catalog, and the look-ups that every requested call goes through.
//!
//! - [`Catalog`]: every command that exists, declared once by its executor.
//! - [`CommandPipeline`]: turns what a model asks for into facts of its reply (known or not, arguments right or not,
//!   approval needed or not, twins in the ledger); the machine decides by them.
//! - [`enrich`]: what people refer to in a message becomes queries of the catalog.
//! - [`resolver`]: gathers the levels of the validation.
//!
//! Nothing here runs a command; effects start at the machine's gate only.

mod agents;
mod call_outcomes;
mod catalog;
mod context;
pub mod enrichments;
mod history;
mod memoized_reader;
mod pipeline;
mod plans;
pub mod resolver;
mod results;
mod standing_approval;
mod tasks;

pub use agents::AgentsExecutor;
pub use catalog::{Catalog, CatalogEntry, CatalogError, RefusedCommand, SchemaFault};
pub use context::{CONTEXT_CACHE, CONTEXT_TIMEOUT, ContextExecutor, WorkspaceContextSource};
pub use history::HistoryExecutor;
pub(crate) use memoized_reader::MemoizedResourceReader;
pub use pipeline::{
    CallAttempt, CallLookupContext, CommandInvocation, CommandPipeline, ExchangeCommandIndex, request_for,
};
pub(crate) use pipeline::{commands_of, denial_reason, edit_faults, may_ask};
pub use plans::PlansExecutor;
pub use results::{RESULT_MAX_CHARS, ResultsExecutor, content_of};
pub use standing_approval::standing_approval_conditions;
pub use tasks::TasksExecutor;

#[cfg(test)]
mod tests;
