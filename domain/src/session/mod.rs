//! A session: its facts, phase, inputs and desired effects.
//!
//! [`transition`] is the only function that changes a session. It is pure: time, rules, lookups and content hashes come
//! in with the input. The desired effects ([`desired_effects`]) and the next wake-up ([`wake_at`]) are pure functions
//! of the result. Live run, recovery and replay use the same functions.
//!
//! # Files
//!
//! - `transition/table.rs`: one table that says for each input and phase whether the input is applied
//!   (`docs/TRANSITIONS.md`). `transition/dispatch.rs` runs the handler of an input that is applied, a file each.
//! - `round.rs`: the only way to a model call. It checks every limit (`limits.rs`).
//! - `start_gate.rs`: the only place that marks work as started. It checks slot and approval, and uses the approval up.
//! - `call_batch.rs`: the calls of a reply until each has its result: queries, then approvals, then actions, then what
//!   follows. `call_batch/plan_gate.rs`: what does not begin before a plan is approved (adr 62).
//!   `call_batch/failed_approval.rs`: approved calls that failed, until their approver has seen it.
//! - `effect.rs`, `wake.rs`, `replay.rs`, `standing.rs`, `unseen_end.rs`: functions derived from the state.
//! - `fallback.rs`: when a round continues with another provider. `attachment.rs`: who has the session open (adr 33).
//!   `child_agents.rs`: rights, budgets, starts and ends of its agents (adr 68).
//!
//! Phases that are only passed through (`PARSING_AI_RESPONSE`, `RETRYING_AFTER_…`) are notes of the journal: [`Phase`] has
//! no variant for them, so they cannot be stored.

mod attachment;
mod call_batch;
mod child_agents;
mod effect;
mod facts;
pub mod failure;
mod fallback;
mod input;
mod journal_note;
mod limits;
mod model_selection;
mod phase;
mod replay;
mod reply_end;
mod round;
mod rules;
mod run_policy;
mod standing;
mod start_gate;
mod summary;
mod summary_progress;
mod transition;
mod transition_context;
mod transition_record;
mod unseen_end;
mod wake;

pub use attachment::{ATTACHED_MAX, SessionAttachment};
pub use call_batch::{BatchHalt, BatchOrigin, CallBatch, waits_for_plan};
pub use child_agents::{
    NOT_YOUR_AGENT, agent_report, agent_run_policy, descendant_usage, remaining_budget, session_rights,
};
pub use effect::{Effect, desired_effects};
pub use facts::*;
pub use fallback::should_fall_back;
pub use input::*;
pub use journal_note::{JournalNote, LogAppend, TransientPhase};
pub use limits::SessionLimit;
pub use model_selection::{AlwaysSendSection, Dialect, ModelSelection};
pub use phase::{Phase, PhaseKind, PhaseLabel};
pub use replay::{ReplayInput, replay};
pub use reply_end::{ReplyEnd, StoppedReply};
pub use round::{FailedProvider, Round, RoundReason};
pub use rules::*;
pub use run_policy::{RunCause, RunPolicy};
pub use standing::{Slot, Standing, may_work, needs_slot, standing};
pub use summary::{ContextSummary, SummaryItem, SummaryItemKind, SummaryMethod};
pub use summary_progress::{SummaryFault, SummaryPiece, SummaryProgress, SummaryRequest};
pub use transition::{transition, transition_as_entry};
pub use transition_record::{IgnoreReason, TransitionRecord};
pub use unseen_end::{UnseenEndReason, unseen_end};
pub use wake::{WakeReason, deadline_at, needs_wake, wake_at, wake_reason, watchdog_at};

pub(crate) use transition_context::TransitionContext;
