//! `SessionActivationRequested`: a person wants the session to go on from where it rests.

use crate::session::round::{self, RoundReason};
use crate::session::{Phase, Step};

pub(super) fn on(step: &mut Step<'_>, phase: Phase) -> Phase {
    step.human_act();
    match phase {
        Phase::Idle => {
            let is_run = step.facts.kind.is_run();
            round::begin(step, if is_run { RoundReason::Resume } else { RoundReason::ManualTrigger })
        }
        Phase::WaitingNetworkRetry { round, .. } => Phase::CallingAi(round.again()),
        Phase::ExecutingEnrichments(_)
        | Phase::CallingAi(_)
        | Phase::WaitingValidation { .. }
        | Phase::WaitingCommunicationResponse { .. }
        | Phase::ExecutingDataQueries(_)
        | Phase::ExecutingActions(_)
        | Phase::WaitingCompletionConfirmation { .. }
        | Phase::AwaitingSessionClosure { .. }
        | Phase::Completed { .. }
        | Phase::WaitingTask
        | Phase::CompactingContext { .. } => phase,
    }
}
