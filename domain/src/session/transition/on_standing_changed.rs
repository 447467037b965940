//! `StandingChanged`: placement gave or took the slot. The start gate then starts the phase's work, or holds it back.

use crate::session::{JournalNote, Phase, SessionKind, Slot, TransitionContext, call_batch};

pub(super) fn on(step: &mut TransitionContext<'_>, phase: Phase, slot: Slot) -> Phase {
    match (step.facts.slot, slot) {
        (_, Slot::Suspended(_)) => step.record.add_note(JournalNote::SessionSuspended),
        (Slot::Suspended(_), Slot::Held) => step.record.add_note(JournalNote::SessionResumed),
        (
            Slot::None | Slot::Held | Slot::Queued(_) | Slot::Suspended(_),
            Slot::None | Slot::Held | Slot::Queued(_),
        ) => {}
    }
    step.facts.slot = slot;
    match slot {
        Slot::Held | Slot::None => step.facts.asks_slot = None,
        Slot::Queued(_) | Slot::Suspended(_) => {}
    }
    match phase {
        // An approval may have expired while the session had no slot.
        Phase::ExecutingEnrichments(batch)
        | Phase::ExecutingDataQueries(batch)
        | Phase::ExecutingActions(batch) => call_batch::advance(step, batch),
        Phase::CallingAi(round) => match (slot, step.facts.kind, round.started_at) {
            (Slot::None, SessionKind::Chat, None) => rest_replaced_chat(step),
            (
                Slot::None | Slot::Held | Slot::Queued(_) | Slot::Suspended(_),
                SessionKind::Chat | SessionKind::Seed | SessionKind::Automation | SessionKind::Agent,
                None | Some(_),
            ) => Phase::CallingAi(round),
        },
        Phase::Idle
        | Phase::Parked(_)
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

/// Rests a queued chat that a later one replaced. Its pending message is in the conversation and is answered in the
/// next round.
fn rest_replaced_chat(step: &mut TransitionContext<'_>) -> Phase {
    step.facts.owes_round = true;
    step.record.add_note(JournalNote::ReplacedInQueue);
    Phase::Idle
}
