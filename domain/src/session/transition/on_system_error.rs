//! `SystemErrorOccurred`: Entracte itself failed. People are informed; a chat hands back, a run closes.

use crate::agent::AgentEndClass;
use crate::message::SystemKind;
use crate::session::call_batch::BatchHalt;
use crate::session::{EndReason, Phase, TransitionContext, child_agents};

use super::failed_round::give_up_round;
use super::on_halt::halt;

pub(super) fn on(step: &mut TransitionContext<'_>, phase: Phase, message: String) -> Phase {
    match phase {
        Phase::CallingAi(round) | Phase::CompactingContext { round, .. } => {
            if round.started_at.is_some() {
                step.facts.usage.add_unknown_attempt();
            }
            give_up_round(step, &round, AgentEndClass::Internal, message)
        }
        Phase::WaitingNetworkRetry { round, .. } => {
            give_up_round(step, &round, AgentEndClass::Internal, message)
        }
        Phase::ExecutingEnrichments(_) | Phase::ExecutingDataQueries(_) | Phase::ExecutingActions(_) => {
            step.append_system_text(SystemKind::ProviderError, message);
            let why = AgentEndClass::Internal;
            child_agents::record_end_cause(step, why, why.usual_text());
            let how =
                if step.facts.kind.is_run() { BatchHalt::End(EndReason::Error) } else { BatchHalt::Rest };
            halt(step, phase, how)
        }
        Phase::Idle
        | Phase::Parked(_)
        | Phase::WaitingValidation { .. }
        | Phase::WaitingCommunicationResponse { .. }
        | Phase::WaitingCompletionConfirmation { .. }
        | Phase::AwaitingSessionClosure { .. }
        | Phase::Completed { .. }
        | Phase::WaitingTask => {
            step.append_system_text(SystemKind::ProviderError, message);
            phase
        }
    }
}
