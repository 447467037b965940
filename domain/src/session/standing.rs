//! Whether a session may work. Only the slot is stored; the displayed standing is derived.

use crate::session::{Phase, SessionFacts, SessionKind};
use crate::time::Timestamp;

/// A session's slot state, changed by placement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Slot {
    /// Neither holds a slot nor waits for one.
    None,
    /// Holds a slot.
    Held,
    /// Waits for a slot since this instant.
    Queued(Timestamp),
    /// Gave up its slot to another session at this instant; resumes automatically when one is free.
    Suspended(Timestamp),
}

impl Slot {
    /// Since when the session waits for a slot; `None` if it does not wait.
    pub const fn waiting_since(self) -> Option<Timestamp> {
        match self {
            Slot::Queued(since) | Slot::Suspended(since) => Some(since),
            Slot::None | Slot::Held => None,
        }
    }
}

crate::words! {
    /// The displayed standing of a session.
    #[expect(missing_docs, reason = "the words say it")]
    pub enum Standing {
        Template = "template",
        Open = "open",
        Active = "active",
        Queued = "queued",
        Suspended = "suspended",
        Parked = "parked",
        Ended = "ended",
    }
}

/// The standing of a session.
pub fn standing(facts: &SessionFacts, phase: &Phase) -> Standing {
    if phase.end_reason().is_some() {
        return Standing::Ended;
    }
    match (facts.kind, facts.slot) {
        (SessionKind::Seed, _) => Standing::Template,
        (_, Slot::Held) => Standing::Active,
        (_, Slot::Queued(_)) => Standing::Queued,
        (_, Slot::Suspended(_)) => Standing::Suspended,
        (SessionKind::Chat, Slot::None) => Standing::Open,
        (SessionKind::Automation | SessionKind::Agent, Slot::None) => {
            if needs_slot(facts.kind, phase) {
                Standing::Queued
            } else {
                Standing::Parked
            }
        }
    }
}

/// Whether the session may start new work.
pub fn may_work(facts: &SessionFacts) -> bool {
    match facts.slot {
        Slot::Held => true,
        Slot::None | Slot::Queued(_) | Slot::Suspended(_) => false,
    }
}

/// Whether the phase has, or will soon have, work that needs a slot. A run that waits for a person or a task needs
/// none.
pub fn needs_slot(kind: SessionKind, phase: &Phase) -> bool {
    match phase {
        // The candidates of its agents count in its place.
        Phase::ExecutingActions(batch) if batch.waits_for_children() => false,
        Phase::ExecutingEnrichments(_)
        | Phase::CallingAi(_)
        | Phase::ExecutingDataQueries(_)
        | Phase::ExecutingActions(_)
        | Phase::WaitingNetworkRetry { .. }
        | Phase::CompactingContext { .. } => match kind {
            SessionKind::Chat | SessionKind::Automation | SessionKind::Agent => true,
            SessionKind::Seed => false,
        },
        Phase::WaitingCompletionConfirmation { .. } | Phase::AwaitingSessionClosure { .. } => kind.is_run(),
        Phase::Idle
        | Phase::Parked(_)
        | Phase::WaitingValidation { .. }
        | Phase::WaitingCommunicationResponse { .. }
        | Phase::Completed { .. }
        | Phase::WaitingTask => false,
    }
}
