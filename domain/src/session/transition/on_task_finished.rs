//! `TaskFinished`: a long task ended. Its result joins the conversation; a session that waits for it, or rests,
//! goes on.

use crate::id::TaskId;
use crate::message::{SystemKind, SystemMessage};
use crate::session::round::{self, RoundReason};
use crate::session::{Phase, Step};
use crate::speech::sentences;

pub(super) fn on(
    step: &mut Step<'_>,
    phase: Phase,
    task: &TaskId,
    succeeded: bool,
    content: String,
) -> Phase {
    step.facts.tasks.retain(|open| open != task);
    let task = task.as_str();
    step.system(SystemMessage {
        kind: SystemKind::TaskResult,
        results: Vec::new(),
        summary: if succeeded { sentences::task_ended(task) } else { sentences::task_failed(task) },
        formatted_data: Some(content.into()),
    });
    match phase {
        Phase::WaitingTask => round::begin(step, RoundReason::TaskResult),
        Phase::Idle if step.facts.parked.is_none() => round::begin(step, RoundReason::TaskResult),
        Phase::Idle
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
        | Phase::CompactingContext { .. } => phase,
    }
}
