//! The end of a batch: what follows its results.

use crate::call::CallStatusGroup;
use crate::command::CommandKind;
use crate::message::{Author, MessageBody, SystemKind};
use crate::session::round::{self, RoundReason};
use crate::session::{
    BatchHalt, BatchOrigin, CallBatch, Dialect, JournalNote, ParkReason, Phase, SessionKind, TransientPhase,
    TransitionContext, children,
};

use super::count::{count, note_progress};
use super::planning;
use super::tell::tell;

/// Tells the results and says what follows.
pub(super) fn finish(step: &mut TransitionContext<'_>, batch: CallBatch) -> Phase {
    note_progress(step, &batch);
    children::note_results(step, &batch);
    tell(step, &batch, SystemKind::ActionsExecuted);
    match batch.halt {
        Some(BatchHalt::Rest) => return step.rest_without_queue(),
        Some(BatchHalt::Quarantine) => return Phase::Parked(ParkReason::Quarantined),
        Some(BatchHalt::End(reason)) => return step.end(reason),
        None => {}
    }
    match batch.origin {
        BatchOrigin::Enrichments(then) => {
            step.record.note(JournalNote::EnrichmentsExecuted);
            round::begin(step, then)
        }
        BatchOrigin::Reply => {
            count(step, &batch);
            if batch.has(CommandKind::Action) { after_actions(step, &batch) } else { after_queries(step) }
        }
    }
}

fn after_queries(step: &mut TransitionContext<'_>) -> Phase {
    step.record.note(JournalNote::DataQueriesExecuted);
    round::begin(step, RoundReason::DataResponse)
}

fn after_actions(step: &mut TransitionContext<'_>, batch: &CallBatch) -> Phase {
    step.record.note(JournalNote::ActionsExecuted);
    match outcome(batch) {
        ActionsOutcome::Succeeded => {
            if let Some(text) = &batch.post_text {
                step.message(Author::Model, MessageBody::Text(text.as_str().into()), true);
            }
            let goes_on = batch.keep_control
                || planning::approved_now(batch)
                || step.facts.dialect == Dialect::Tools
                || step.facts.kind != SessionKind::Chat;
            if goes_on { round::begin(step, RoundReason::ActionResult) } else { step.rest() }
        }
        ActionsOutcome::Failed => {
            step.record.note(JournalNote::ActionFailureOccurred);
            step.record.note(JournalNote::PassedThrough(TransientPhase::RetryingAfterActionFailure));
            round::begin(step, RoundReason::ActionFailure)
        }
        ActionsOutcome::Refused { with_reason } => {
            if with_reason || step.facts.kind != SessionKind::Chat {
                round::begin(step, RoundReason::ActionResult)
            } else {
                step.rest()
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
    let mut refused = false;
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
