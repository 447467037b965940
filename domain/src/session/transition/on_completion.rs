//! `CompletionConfirmed` and `CompletionRejected`: a person agrees that a run's work is done, or says what is
//! missing.

use crate::message::SystemKind;
use crate::session::round::{self, RoundReason};
use crate::session::{EndReason, Phase, Step};
use crate::speech::sentences;

pub(super) fn confirmed(step: &mut Step<'_>, phase: Phase) -> Phase {
    match phase {
        Phase::WaitingCompletionConfirmation { .. } => step.close(EndReason::Completed),
        Phase::Idle
        | Phase::Parked(_)
        | Phase::ExecutingEnrichments(_)
        | Phase::CallingAi(_)
        | Phase::WaitingValidation { .. }
        | Phase::WaitingCommunicationResponse { .. }
        | Phase::ExecutingDataQueries(_)
        | Phase::ExecutingActions(_)
        | Phase::WaitingNetworkRetry { .. }
        | Phase::AwaitingSessionClosure { .. }
        | Phase::Completed { .. }
        | Phase::WaitingTask
        | Phase::CompactingContext { .. } => phase,
    }
}

pub(super) fn rejected(step: &mut Step<'_>, phase: Phase, author: &str, reason: Option<String>) -> Phase {
    match phase {
        Phase::WaitingCompletionConfirmation { .. } | Phase::AwaitingSessionClosure { .. } => {
            step.human_act();
            let said = match reason {
                Some(reason) => {
                    step.facts.asked_by.join_known(author);
                    sentences::completion_rejected_because(&reason)
                }
                None => sentences::completion_rejected(),
            };
            step.say(SystemKind::Continuation, said);
            round::begin(step, RoundReason::Continuation)
        }
        Phase::Idle
        | Phase::Parked(_)
        | Phase::ExecutingEnrichments(_)
        | Phase::CallingAi(_)
        | Phase::WaitingValidation { .. }
        | Phase::WaitingCommunicationResponse { .. }
        | Phase::ExecutingDataQueries(_)
        | Phase::ExecutingActions(_)
        | Phase::WaitingNetworkRetry { .. }
        | Phase::Completed { .. }
        | Phase::WaitingTask
        | Phase::CompactingContext { .. } => phase,
    }
}
