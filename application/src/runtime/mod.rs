//! The runtime: all events of a workspace are handled in order by its one task.
//!
//! ```text
//! request / outcome / wake-up -> handle -> turn: transition per session, then placement -> one commit -> publish
//!                                   turn -> need -> read through the ports -> turn ...
//!        -> desired effects -> perform: provider | executor -> outcome -> handle ...
//! ```
//!
//! [`LoadedWorkspace::handle`] is the one writer of a workspace. A turn is a function of what it is told (`turn`); what it
//! needs is read for it (`needs`). It works on a draft, which memory takes over when its commit is acknowledged, so
//! memory is never ahead of the database. [`perform`] does one effect. Effects are
//! derived, not stored: what is desired and does not run is started, what runs and is no longer desired is
//! dropped. [`LocalRuntime`] runs both in one process.

mod accounts;
mod alarm;
mod budget;
mod call_limits;
mod call_time;
mod changes;
mod compaction;
mod data;
mod draft;
mod error;
mod incoming;
mod instructions;
mod job;
mod live;
mod local;
mod lock;
mod moment;
mod needs;
mod overlay;
mod owner;
mod perform;
mod prefixes;
mod providers;
mod refusals;
mod remote;
mod schedule;
mod scrub;
mod services;
mod spoken;
mod stages;
mod story;
mod task;
mod task_work;
mod title;
mod trace;
mod trees;
mod turn;
mod under_way;
mod workspace;

pub use accounts::ProviderAccounts;
pub use budget::{ContextBudget, ContextBudgetExcess, PrefixOverrun};
pub use error::TurnError;
pub use incoming::{EffectOutcome, WorkspaceInput};
pub use local::LocalRuntime;
pub use moment::DualClockInstant;
pub use owner::{OwnershipLease, OwnershipStatus};
pub use perform::{EffectContext, EffectJob, perform};
pub use providers::StaticProviderRegistry;
pub use remote::RemoteMailSender;
pub use services::{RuntimeServices, StorePorts};
pub use task_work::{TaskWorkJob, perform_task_work};
pub use under_way::ActiveWorkLimits;
pub use workspace::{LoadedWorkspace, TurnFollowUp};

#[cfg(test)]
mod tests;
