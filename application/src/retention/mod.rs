//! What goes by the retention policy of a workspace, and what keeps it. Pure.
//!
//! The planner reads committed rows and names [`RetentionStep`]s; a turn of the workspace checks each step again and
//! commits it, as it does with a deletion by hand. Nothing is stored between two commits: after a crash the planner
//! finds the rest.

mod batch;
mod eligibility;
mod hold;
mod removed_result;

pub use batch::{
    EntrySpan, RetentionBatch, RetentionCount, RetentionStep, RetentionTable, RetentionTotals,
    SizedRetentionStep,
};
pub use eligibility::{
    RetentionKeepReason, check_agent_removable, check_results_removable, check_session_removable,
    may_be_going,
};
pub use hold::RetentionHold;
pub use removed_result::RemovedResult;
