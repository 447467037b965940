//! `UserMessageSent`: accepted in every phase of an open session. During a round it is queued for the next model call;
//! during a wait it replaces the wait, and rejects the calls that it answers in place of a decision. `MessageWithdrawn`: a queued message is withdrawn, and no model reads it.

use crate::call::{Call, CallState, CallStatus};
use crate::id::{CallId, MessageId};
use crate::localizable_text::{LocalizableText, sentences};
use crate::message::SystemKind;
use crate::session::call_batch::{self, BatchHalt, CallBatch};
use crate::session::round::{self, RoundReason};
use crate::session::{Phase, QueuedMessage, SessionKind, TransitionContext, UserMessageSent};

pub(super) fn on(step: &mut TransitionContext<'_>, phase: Phase, sent: UserMessageSent) -> Phase {
    if let Some(title) = sent.title {
        step.facts.name = title;
    }
    if step.facts.kind == SessionKind::Seed {
        return phase;
    }
    let message = step.facts.id.message_id(step.facts.sequence, 0);
    if matches!(phase, Phase::Idle) && step.facts.queue.is_empty() && !step.facts.owes_round {
        step.facts.begin_exchange();
    }
    step.facts.forget_failures_of(&sent.author, step.facts.sequence);
    let author = sent.asks.then_some(sent.author);
    step.facts.queue.push(QueuedMessage { message, author, enrichments: sent.enrichments });
    step.begin_human_exchange();
    let answered = sent.instead_of;
    match phase {
        Phase::Idle
        | Phase::Parked(_)
        | Phase::WaitingTask
        | Phase::WaitingCompletionConfirmation { .. }
        | Phase::AwaitingSessionClosure { .. } => round::begin_round(step, RoundReason::UserMessage),
        Phase::WaitingValidation { mut batch, .. } => {
            reject_answered_calls(step, &mut batch, &answered);
            cancel_wait(step, batch, CallStatus::Cancelled, &sentences::undecided_for_message());
            round::begin_round(step, RoundReason::UserMessage)
        }
        Phase::WaitingCommunicationResponse { question, .. } => {
            step.append_system_text(
                SystemKind::CommunicationCancelled,
                sentences::question_unanswered(question.text()),
            );
            round::begin_round(step, RoundReason::UserMessage)
        }
        Phase::ExecutingActions(batch) => cancel_unstarted_calls(step, batch, &answered),
        // Before calls named what they read and change, a decision was not replaced here.
        Phase::ExecutingDataQueries(batch) if batch.names_state() && batch.undecided().next().is_some() => {
            cancel_unstarted_calls(step, batch, &answered)
        }
        Phase::ExecutingEnrichments(mut batch) | Phase::ExecutingDataQueries(mut batch)
            if !answered.is_empty() =>
        {
            reject_answered_calls(step, &mut batch, &answered);
            call_batch::advance(step, batch)
        }
        Phase::ExecutingEnrichments(_)
        | Phase::CallingAi(_)
        | Phase::ExecutingDataQueries(_)
        | Phase::WaitingNetworkRetry { .. }
        | Phase::Completed { .. }
        | Phase::CompactingContext { .. } => phase,
    }
}

/// Withdraws a queued message. Its earlier effects stay: a wait that it replaced is over.
pub(super) fn withdraw_message(step: &mut TransitionContext<'_>, phase: Phase, message: &MessageId) -> Phase {
    step.facts.queue.retain(|queued| queued.message != *message);
    phase
}

/// Lets a session continue after an interrupt, once the running action has finished, because a person who writes wants
/// an answer. Cancelled calls stay cancelled.
fn resume_after_interrupt(mut batch: CallBatch) -> CallBatch {
    match batch.halt {
        Some(BatchHalt::Rest | BatchHalt::Quarantine) => batch.halt = None,
        Some(BatchHalt::End(_)) | None => {}
    }
    batch
}

/// Cancels unstarted calls when a message replaces a decision while other calls of the reply run; running calls finish.
fn cancel_unstarted_calls(
    step: &mut TransitionContext<'_>,
    mut batch: CallBatch,
    answered: &[CallId],
) -> Phase {
    if batch.undecided().next().is_none() {
        return Phase::ExecutingActions(resume_after_interrupt(batch));
    }
    reject_answered_calls(step, &mut batch, answered);
    for call in batch.calls.iter_mut().filter(|call| !call.is_finished() && !call.is_under_way()) {
        call_batch::end_call(step, call, CallStatus::Cancelled, sentences::undecided_for_message());
    }
    call_batch::advance(step, batch)
}

/// Rejects the undecided calls that a message answers; the model reads the message right after their results.
fn reject_answered_calls(step: &mut TransitionContext<'_>, batch: &mut CallBatch, answered: &[CallId]) {
    let is_answered =
        |call: &Call| matches!(call.state, CallState::WaitingDecision) && answered.contains(&call.id);
    for call in batch.calls.iter_mut().filter(|call| is_answered(call)) {
        call_batch::end_call(step, call, CallStatus::Rejected, sentences::rejected());
    }
}

/// Ends an approval request without an answer: every open call gets its result, and the trace is written.
pub(super) fn cancel_wait(
    step: &mut TransitionContext<'_>,
    mut waiting: CallBatch,
    status: CallStatus,
    text: &LocalizableText,
) {
    for call in waiting.calls.iter_mut().filter(|call| !call.is_finished()) {
        call_batch::end_call(step, call, status, text.clone());
    }
    call_batch::append_batch_results(step, &waiting, SystemKind::ValidationCancelled);
}
