//! `TaskFinished`: a long task ended. Its result joins the conversation at once. A session that rests, waits for it or
//! is about to close begins a round with it; any other session owes that round.

use crate::id::TaskId;
use crate::localizable_text::{LocalizableText, sentences};
use crate::message::{SystemKind, SystemMessage};
use crate::session::round::{self, RoundReason};
use crate::session::{EndReason, Phase, TransitionContext};
use crate::task::TaskOutcome;

pub(super) fn on(
    step: &mut TransitionContext<'_>,
    phase: Phase,
    task: &TaskId,
    outcome: TaskOutcome,
    late: bool,
    content: String,
) -> Phase {
    remember(step, task, outcome, late);
    step.append_system_message(SystemMessage {
        kind: SystemKind::TaskResult,
        results: Vec::new(),
        summary: summary(task.as_str(), outcome, late),
        formatted_data: (!content.is_empty()).then(|| content.into()),
    });
    match phase {
        Phase::WaitingTask
        // Completion was declared without this result.
        | Phase::WaitingCompletionConfirmation { .. }
        | Phase::AwaitingSessionClosure { reason: EndReason::Completed, .. } => {
            round::begin_round(step, RoundReason::TaskResult)
        }
        Phase::Idle if begins_a_round(step, outcome, late) => round::begin_round(step, RoundReason::TaskResult),
        // The reason of this closure is unaffected by the result.
        Phase::AwaitingSessionClosure { .. } | Phase::Completed { .. } => phase,
        Phase::Idle
        // A person has to resume it.
        | Phase::Parked(_)
        | Phase::ExecutingEnrichments(_)
        | Phase::CallingAi(_)
        | Phase::WaitingValidation { .. }
        | Phase::WaitingCommunicationResponse { .. }
        | Phase::ExecutingDataQueries(_)
        | Phase::ExecutingActions(_)
        | Phase::WaitingNetworkRetry { .. }
        | Phase::CompactingContext { .. } => {
            step.facts.owes_round = true;
            phase
        }
    }
}

/// Whether the task begins a round. A resting agent continues only with its caller's answer, and a cancelled task needs
/// no immediate round.
fn begins_a_round(step: &TransitionContext<'_>, outcome: TaskOutcome, late: bool) -> bool {
    let is_called_off = match outcome {
        TaskOutcome::Cancelled => !late,
        TaskOutcome::Completed | TaskOutcome::Failed | TaskOutcome::Expired => false,
    };
    let rests = step.facts.agent.as_ref().is_some_and(|agent| agent.awaits_answer());
    !rests && !is_called_off
}

fn remember(step: &mut TransitionContext<'_>, task: &TaskId, outcome: TaskOutcome, late: bool) {
    step.facts.tasks.retain(|open| open != task);
    step.facts.overdue.retain(|over| over != task);
    match outcome {
        TaskOutcome::Cancelled | TaskOutcome::Expired if !late => {
            step.facts.remember_overdue(task.clone());
        }
        TaskOutcome::Completed | TaskOutcome::Failed | TaskOutcome::Cancelled | TaskOutcome::Expired => {}
    }
}

fn summary(task: &str, outcome: TaskOutcome, late: bool) -> LocalizableText {
    let how = match outcome {
        TaskOutcome::Completed => sentences::task_ended(task),
        TaskOutcome::Failed => sentences::task_failed(task),
        TaskOutcome::Cancelled => sentences::task_cancelled(task),
        TaskOutcome::Expired => sentences::task_expired(task),
    };
    if late { sentences::task_late(how) } else { how }
}
