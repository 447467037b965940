//! `MissionContinued`: whoever called an agent answers what it asked. `ChildEnded`: an agent that rested ended.

use crate::agent::Report;
use crate::id::CallId;
use crate::session::{Phase, Step, children};

pub(super) fn continued(step: &mut Step<'_>, phase: Phase, call: CallId, answer: String) -> Phase {
    match phase {
        Phase::Idle => children::on_answer(step, call, answer),
        // The fence lets it through to one at rest only.
        Phase::Parked(_)
        | Phase::ExecutingEnrichments(_)
        | Phase::CallingAi(_)
        | Phase::WaitingValidation { .. }
        | Phase::WaitingCommunicationResponse { .. }
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

/// What it used is counted and the rest of its budget comes back; its parent reads nothing of it.
pub(super) fn child_ended(step: &mut Step<'_>, phase: Phase, report: &Report) -> Phase {
    children::take_report(step.facts, report);
    phase
}
