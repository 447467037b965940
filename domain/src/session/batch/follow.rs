//! The end of a batch: what follows its results.

use crate::call::StatusGroup;
use crate::command::CommandKind;
use crate::message::{Author, Body, SystemKind};
use crate::session::round::{self, RoundReason};
use crate::session::{
    Batch, BatchOrigin, Dialect, Halt, Note, ParkedWhy, PassThrough, Phase, SessionKind, Step, children,
};

use super::count::{count, note_progress};
use super::planning;
use super::tell::tell;

/// Tells the results and says what follows.
pub(super) fn finish(step: &mut Step<'_>, batch: Batch) -> Phase {
    note_progress(step, &batch);
    children::note_results(step, &batch);
    tell(step, &batch, SystemKind::ActionsExecuted);
    match batch.halt {
        Some(Halt::Rest) => return step.rest_without_queue(),
        Some(Halt::Quarantine) => return Phase::Parked(ParkedWhy::Quarantined),
        Some(Halt::End(reason)) => return step.end(reason),
        None => {}
    }
    match batch.origin {
        BatchOrigin::Enrichments(then) => {
            step.record.note(Note::EnrichmentsExecuted);
            round::begin(step, then)
        }
        BatchOrigin::Reply => {
            count(step, &batch);
            if batch.has(CommandKind::Action) { after_actions(step, &batch) } else { after_queries(step) }
        }
    }
}

fn after_queries(step: &mut Step<'_>) -> Phase {
    step.record.note(Note::DataQueriesExecuted);
    round::begin(step, RoundReason::DataResponse)
}

fn after_actions(step: &mut Step<'_>, batch: &Batch) -> Phase {
    step.record.note(Note::ActionsExecuted);
    match outcome(batch) {
        ActionsOutcome::Succeeded => {
            if let Some(text) = &batch.post_text {
                step.message(Author::Model, Body::Text(text.as_str().into()), true);
            }
            let goes_on = batch.keep_control
                || planning::approved_now(batch)
                || step.facts.dialect == Dialect::Tools
                || step.facts.kind != SessionKind::Chat;
            if goes_on { round::begin(step, RoundReason::ActionResult) } else { step.rest() }
        }
        ActionsOutcome::Failed => {
            step.record.note(Note::ActionFailureOccurred);
            step.record.note(Note::PassedThrough(PassThrough::RetryingAfterActionFailure));
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

fn outcome(batch: &Batch) -> ActionsOutcome {
    let mut refused = false;
    for call in batch.calls.iter().filter(|call| call.kind == CommandKind::Action) {
        let Some(result) = call.result() else { continue };
        match result.status.group() {
            StatusGroup::Success | StatusGroup::Cached => {}
            StatusGroup::Failed => return ActionsOutcome::Failed,
            StatusGroup::Cancelled => {
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
