//! `StandingChanged`: placement gave or took the slot. What the phase wants to start starts at the gate, or
//! waits there.

use crate::session::{Note, Phase, Slot, Step, batch};

pub(super) fn on(step: &mut Step<'_>, phase: Phase, slot: Slot) -> Phase {
    match (step.facts.slot, slot) {
        (_, Slot::Suspended(_)) => step.record.note(Note::SessionSuspended),
        (Slot::Suspended(_), Slot::Held) => step.record.note(Note::SessionResumed),
        (
            Slot::None | Slot::Held | Slot::Queued(_) | Slot::Suspended(_),
            Slot::None | Slot::Held | Slot::Queued(_),
        ) => {}
    }
    step.facts.slot = slot;
    match phase {
        // An approval may have expired while the session had no slot.
        Phase::ExecutingEnrichments(batch)
        | Phase::ExecutingDataQueries(batch)
        | Phase::ExecutingActions(batch) => batch::advance(step, batch),
        Phase::Idle
        | Phase::CallingAi(_)
        | Phase::WaitingValidation { .. }
        | Phase::WaitingCommunicationResponse { .. }
        | Phase::WaitingCompletionConfirmation { .. }
        | Phase::WaitingNetworkRetry { .. }
        | Phase::AwaitingSessionClosure { .. }
        | Phase::Completed { .. }
        | Phase::WaitingTask
        | Phase::CompactingContext { .. } => phase,
    }
}
