//! A session: its facts, its phase, what happens to it and what it wants done.
//!
//! [`transition`] is the one function that changes a session. It is pure: time, rules, look-ups and content
//! hashes come in with the input. What a state wants done ([`desired_effects`]) and when it wants to be woken
//! ([`wake_at`]) are pure functions of the result. Live run, recovery and replay use these same functions.

mod attachment;
mod batch;
mod children;
mod effect;
mod facts;
pub mod failure;
mod fallback;
mod input;
mod limits;
mod note;
mod phase;
mod record;
mod replay;
mod round;
mod rules;
mod run;
mod standing;
mod start;
mod step;
mod summary;
mod summing;
mod transition;
mod unseen;
mod voice;
mod wake;

pub use attachment::{ATTACHED_MAX, SessionAttachment};
pub use batch::{BatchHalt, BatchOrigin, CallBatch, waits_for_plan};
pub use children::{
    NOT_YOUR_AGENT, agent_report, agent_run_policy, descendant_usage, remaining_budget, session_rights,
};
pub use effect::{Effect, desired_effects};
pub use facts::*;
pub use fallback::should_fall_back;
pub use input::*;
pub use limits::SessionLimit;
pub use note::{JournalNote, LogAppend, TransientPhase};
pub use phase::{Phase, PhaseLabel};
pub use record::{IgnoreReason, TransitionRecord};
pub use replay::{ReplayInput, replay};
pub use round::{FailedProvider, Round, RoundReason};
pub use rules::*;
pub use run::{RunCause, RunPolicy};
pub use standing::{Slot, Standing, may_work, needs_slot, standing};
pub use summary::{ContextSummary, SummaryItem, SummaryItemKind, SummaryMethod};
pub use summing::{SummaryFault, SummaryPiece, SummaryProgress, SummaryRequest};
pub use transition::{transition, transition_as_entry};
pub use unseen::{UnseenEndReason, unseen_end};
pub use voice::{AlwaysSendSection, Dialect, ModelSelection};
pub use wake::{WakeReason, deadline_at, needs_wake, wake_at, wake_reason, watchdog_at};

pub(crate) use step::TransitionContext;
