//! `SessionActivationRequested`: a person wants the session to go on from where it rests.

use crate::session::round::{self, RoundReason};
use crate::session::{Phase, SessionKind, Step};

pub(super) fn on(step: &mut Step<'_>, phase: Phase) -> Phase {
    step.human_act();
    match phase {
        Phase::Idle => match step.facts.kind {
            SessionKind::Chat | SessionKind::Seed => round::begin(step, RoundReason::ManualTrigger),
            SessionKind::Automation | SessionKind::Agent => round::begin(step, RoundReason::Resume),
        },
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
