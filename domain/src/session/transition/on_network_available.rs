//! `NetworkAvailable`: what waits for the network goes on at once.

use crate::session::{Phase, Step};

pub(super) fn on(_step: &mut Step<'_>, phase: Phase) -> Phase {
    match phase {
        Phase::WaitingNetworkRetry { round, .. } => Phase::CallingAi(round.again()),
        Phase::Idle
        | Phase::Parked(_)
        | Phase::ExecutingEnrichments(_)
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
