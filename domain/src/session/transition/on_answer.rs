//! `CommunicationResponseReceived`: a person answered the question. The answer itself is the input's message.

use crate::session::round::{self, RoundReason};
use crate::session::{Phase, Step};

pub(super) fn on(step: &mut Step<'_>, phase: Phase, author: &str) -> Phase {
    match phase {
        Phase::WaitingCommunicationResponse { .. } => {
            step.human_act();
            step.facts.asked_by.join_known(author);
            round::begin(step, RoundReason::Answer)
        }
        Phase::Idle
        | Phase::Parked(_)
        | Phase::ExecutingEnrichments(_)
        | Phase::CallingAi(_)
        | Phase::WaitingValidation { .. }
        | Phase::ExecutingDataQueries(_)
        | Phase::ExecutingActions(_)
        | Phase::WaitingCompletionConfirmation { .. }
        | Phase::WaitingNetworkRetry { .. }
        | Phase::AwaitingSessionClosure { .. }
        | Phase::Completed { .. }
        | Phase::WaitingTask
        | Phase::CompactingContext { .. } => phase,
    }
}
