//! May a session work? Little is stored (the slot); what is shown is derived.

use crate::session::{Phase, SessionFacts, SessionKind};
use crate::time::Timestamp;

/// A session's right to work, given and taken by placement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Slot {
    /// Holds none and waits for none.
    None,
    /// Holds one.
    Held,
    /// Waits for one since then.
    Queued(Timestamp),
    /// Gave its slot to someone; goes on alone when one is free.
    Suspended(Timestamp),
}

impl Slot {
    /// Since when it waits for a slot; `None` where it does not.
    pub const fn waiting_since(self) -> Option<Timestamp> {
        match self {
            Slot::Queued(since) | Slot::Suspended(since) => Some(since),
            Slot::None | Slot::Held => None,
        }
    }
}

crate::words! {
    /// Whether a session may work, in the words that are shown.
    #[expect(missing_docs, reason = "the words of docs/ARCHITECTURE.md")]
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

/// Whether new work may start.
pub fn may_work(facts: &SessionFacts) -> bool {
    match facts.slot {
        Slot::Held => true,
        Slot::None | Slot::Queued(_) | Slot::Suspended(_) => false,
    }
}

/// Whether this phase has, or is about to have, work that needs a slot. A run that waits for a person or a task
/// needs none.
pub fn needs_slot(kind: SessionKind, phase: &Phase) -> bool {
    match phase {
        // It counts by its agents, whose seats stand beside its own.
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
