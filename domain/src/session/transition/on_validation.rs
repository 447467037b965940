//! `ValidationReceived`: a person decides on one, some or all of the open calls.

use crate::call::CallStatus;
use crate::localizable_text::sentences;
use crate::session::call_batch::{self, CallBatch};
use crate::session::{Phase, TransitionContext};
use crate::validation::{Decision, DecisionVerdict};

pub(super) fn on(
    step: &mut TransitionContext<'_>,
    phase: Phase,
    author: &str,
    decisions: Vec<Decision>,
) -> Phase {
    // The deadline of the decisions if nothing else is running.
    let expires = if let Phase::WaitingValidation { expires, .. } = &phase { Some(*expires) } else { None };
    let (Phase::WaitingValidation { mut batch, .. }
    | Phase::ExecutingEnrichments(mut batch)
    | Phase::ExecutingDataQueries(mut batch)
    | Phase::ExecutingActions(mut batch)) = phase
    else {
        return step.keep_unexpected(phase);
    };
    step.begin_human_exchange();
    let mut edited = false;
    for Decision { call, card: _, verdict, rule: _ } in decisions {
        if matches!(verdict, DecisionVerdict::Approve { edited: Some(_) }) {
            edited = true;
            // The model reads the executed arguments, so the editor counts as an author.
            step.facts.record_prompt_authors([Some(author)]);
        }
        // A rejection reason tells the model what to do instead, so its author counts as asking for the work.
        if matches!(verdict, DecisionVerdict::Reject { reason: Some(_) }) {
            step.facts.asked_by.add_person_if_known(author);
            step.facts.record_prompt_authors([Some(author)]);
        }
        // A call decided before has the same decision again; the table ensures that.
        if let Some(index) = batch.undecided_at(&call) {
            apply_decision(step, &mut batch, index, author, verdict);
        }
    }
    if edited {
        call_batch::find_duplicates(step, &mut batch);
        call_batch::mark_calls_needing_approval(step, &mut batch);
    }
    match expires {
        Some(expires) if batch.waits_for_all_decisions() => Phase::WaitingValidation { batch, expires },
        Some(_) | None => call_batch::advance(step, batch),
    }
}

fn apply_decision(
    step: &mut TransitionContext<'_>,
    batch: &mut CallBatch,
    index: usize,
    author: &str,
    verdict: DecisionVerdict,
) {
    match verdict {
        DecisionVerdict::Approve { edited } => {
            call_batch::approve_as_person(step, &mut batch.calls[index], author, edited)
        }
        DecisionVerdict::Reject { reason } => {
            batch.refused_with_reason |= reason.is_some();
            let text = match reason {
                Some(reason) => sentences::rejected_because(&reason),
                None => sentences::rejected(),
            };
            call_batch::end_call(step, &mut batch.calls[index], CallStatus::Rejected, text);
        }
    }
}
