//! The runtime: one worker per workspace handles all its events in order.
//!
//! ```text
//! request / outcome / wake-up -> handle -> turn: transition per session, then placement -> one commit -> publish
//!                                   turn -> question -> read through the ports -> turn ...
//!        -> desired effects -> perform: provider | executor -> outcome -> handle ...
//! ```
//!
//! [`LoadedWorkspace::handle`] is the single writer of a workspace. A turn is a pure function of its inputs
//! (`turn`); its questions are read for it. It works on a draft, which memory takes over when its commit is
//! acknowledged, so memory is never ahead of the database. [`perform`] performs one
//! effect. Effects are derived, not stored: a desired effect that does not run is started, and a running one that
//! is no longer desired is dropped. [`LocalRuntime`] runs both in one process.

mod active_limits;
mod agent_trees;
mod automation_schedule;
mod call_limits;
mod call_progress;
mod call_timeout;
mod compaction;
mod context_budget;
mod data_sections;
mod dual_clock;
mod effect_jobs;
mod effects;
mod error;
mod garbled_batch;
mod instructions;
mod loaded_session;
mod loaded_workspace;
mod local_runtime;
mod lock;
mod overlay;
mod ownership_lease;
mod partial_reply;
mod pre_text;
mod prefix_cache;
mod provider_accounts;
mod provider_registry;
mod refusals;
mod remote_mail;
mod round_spans;
mod scrub;
mod services;
mod session_draft;
mod task_work;
mod title;
mod trace_id;
mod turn;
mod wake_timer;
mod workspace_input;
mod workspace_worker;

pub use active_limits::ActiveWorkLimits;
pub use context_budget::{ContextBudget, ContextBudgetExcess, PrefixOverrun};
pub use dual_clock::DualClockInstant;
pub use effects::{EffectContext, EffectJob, perform};
pub use error::TurnError;
pub use loaded_workspace::{LoadedWorkspace, TurnFollowUp};
pub use local_runtime::LocalRuntime;
pub use ownership_lease::{OwnershipLease, OwnershipStatus};
pub use provider_accounts::ProviderAccounts;
pub use provider_registry::StaticProviderRegistry;
pub use remote_mail::RemoteMailSender;
pub use services::{RuntimeServices, StorePorts};
pub use task_work::{TaskWorkJob, perform_task_work};
pub use workspace_input::{EffectOutcome, WorkspaceInput};

#[cfg(test)]
mod tests;
