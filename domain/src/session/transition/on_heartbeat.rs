//! `SchedulerHeartbeat`: the watchdog, the last of all limits. It closes a run that committed nothing for long and
//! waits for nothing.

use crate::agent::AgentEndClass;
use crate::localizable_text::run_inactivity_text;
use crate::message::SystemKind;
use crate::session::call_batch::{self, BatchHalt};
use crate::session::{EndReason, Phase, TransitionContext, child_agents};

pub(super) fn on(step: &mut TransitionContext<'_>, phase: Phase) -> Phase {
    if matches!(phase, Phase::Completed { .. }) {
        return phase;
    }
    let text = run_inactivity_text(step.rules.watchdog);
    child_agents::record_end_cause(step, AgentEndClass::Inactivity, text.clone());
    step.append_system_text(SystemKind::SessionTimeout, text);
    match phase {
        Phase::Completed { .. } => phase,
        // No later time limit applies to the running work, so waiting is useless: an action becomes unknown.
        Phase::ExecutingEnrichments(batch)
        | Phase::ExecutingDataQueries(batch)
        | Phase::ExecutingActions(batch) => {
            call_batch::halt(step, batch, BatchHalt::End(EndReason::Timeout), true)
        }
        Phase::CallingAi(round) | Phase::CompactingContext { round, .. } => {
            if round.started_at.is_some() {
                step.facts.usage.add_unknown_attempt();
            }
            step.close_session(EndReason::Timeout)
        }
        Phase::Idle
        | Phase::Parked(_)
        | Phase::WaitingValidation { .. }
        | Phase::WaitingCommunicationResponse { .. }
        | Phase::WaitingCompletionConfirmation { .. }
        | Phase::WaitingNetworkRetry { .. }
        | Phase::AwaitingSessionClosure { .. }
        | Phase::WaitingTask => step.close_session(EndReason::Timeout),
    }
}
