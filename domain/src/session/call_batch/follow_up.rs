//! The end of a batch, and the phase that follows its results.

use crate::call::{Call, CallStatusGroup};
use crate::command::CommandKind;
use crate::message::{Author, MessageBody, SystemKind};
use crate::session::round::{self, RoundReason};
use crate::session::{
    BatchHalt, BatchOrigin, CallBatch, Dialect, JournalNote, ParkReason, Phase, SessionKind, TransientPhase,
    TransitionContext, child_agents,
};

use super::counters::{count_batch, note_progress};
use super::plan_gate;
use super::result_messages::append_batch_results;

/// Adds the results to the conversation and returns the next phase.
pub(super) fn finish_batch(step: &mut TransitionContext<'_>, batch: CallBatch) -> Phase {
    note_progress(step, &batch);
    child_agents::record_last_results(step, &batch);
    append_batch_results(step, &batch, SystemKind::ActionsExecuted);
    match batch.halt {
        Some(BatchHalt::Rest) => return step.finish_round_keeping_queue(),
        Some(BatchHalt::Quarantine) => return Phase::Parked(ParkReason::Quarantined),
        Some(BatchHalt::End(reason)) => return step.end_session(reason),
        None => {}
    }
    match batch.origin {
        BatchOrigin::Enrichments(then) => {
            step.record.add_note(JournalNote::EnrichmentsExecuted);
            round::begin_round(step, then)
        }
        BatchOrigin::Reply => {
            count_batch(step, &batch);
            if batch.has_call_of_kind(CommandKind::Action) {
                after_actions(step, &batch)
            } else {
                after_queries(step, &batch)
            }
        }
    }
}

fn after_queries(step: &mut TransitionContext<'_>, batch: &CallBatch) -> Phase {
    step.record.add_note(JournalNote::DataQueriesExecuted);
    // As after rejected actions: a chat rests if a person let no query run and gave no reason.
    if step.facts.kind == SessionKind::Chat
        && !batch.refused_with_reason
        && batch.calls.iter().all(is_unapproved)
    {
        return step.finish_round();
    }
    round::begin_round(step, RoundReason::DataResponse)
}

fn is_unapproved(call: &Call) -> bool {
    call.result().is_some_and(|result| result.status.is_unapproved())
}

fn after_actions(step: &mut TransitionContext<'_>, batch: &CallBatch) -> Phase {
    step.record.add_note(JournalNote::ActionsExecuted);
    match outcome(batch) {
        ActionsOutcome::Succeeded => {
            if let Some(text) = &batch.post_text {
                step.append_message(Author::Model, MessageBody::Text(text.as_str().into()), true);
            }
            let goes_on = batch.keep_control
                || plan_gate::has_newly_approved_plan(batch)
                || step.facts.dialect == Dialect::Tools
                || step.facts.kind != SessionKind::Chat;
            if goes_on { round::begin_round(step, RoundReason::ActionResult) } else { step.finish_round() }
        }
        ActionsOutcome::Failed => {
            step.record.add_note(JournalNote::ActionFailureOccurred);
            step.record.add_note(JournalNote::PassedThrough(TransientPhase::RetryingAfterActionFailure));
            round::begin_round(step, RoundReason::ActionFailure)
        }
        ActionsOutcome::Refused { with_reason } => {
            if with_reason || step.facts.kind != SessionKind::Chat {
                round::begin_round(step, RoundReason::ActionResult)
            } else {
                step.finish_round()
            }
        }
    }
}

enum ActionsOutcome {
    Succeeded,
    Failed,
    Refused { with_reason: bool },
}

fn outcome(batch: &CallBatch) -> ActionsOutcome {
    // What was to be read before going on was not.
    let mut refused = batch.calls.iter().any(|call| call.kind == CommandKind::Query && is_unapproved(call));
    for call in batch.calls.iter().filter(|call| call.kind == CommandKind::Action) {
        let Some(result) = call.result() else { continue };
        match result.status.group() {
            CallStatusGroup::Success | CallStatusGroup::Cached => {}
            CallStatusGroup::Failed => return ActionsOutcome::Failed,
            CallStatusGroup::Cancelled => {
                refused = true;
            }
        }
    }
    if refused {
        ActionsOutcome::Refused { with_reason: batch.refused_with_reason }
    } else {
        ActionsOutcome::Succeeded
    }
}
