//! `SessionActivationRequested`: a person wants the session to go on from where it rests.

use crate::session::round::{self, RoundReason};
use crate::session::{Phase, Step};

pub(super) fn on(step: &mut Step<'_>, phase: Phase, author: &str) -> Phase {
    step.human_act();
    // A run goes on for its owner, whoever lets it. In a chat, whoever says “go on” asks for what follows too.
    if !step.facts.kind.is_run() {
        step.facts.asked_by.join_known(author);
    }
    match phase {
        Phase::Idle | Phase::Parked(_) => {
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
