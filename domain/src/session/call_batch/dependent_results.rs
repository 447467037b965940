//! Results that follow from other results.

use crate::call::{Call, CallResult, CallState, CallStatus, CallStatusGroup};
use crate::localizable_text::sentences;
use crate::session::{ActionFailurePolicy, CallBatch, TransitionContext};
use crate::validation::merge_reasons;

use super::{end_call, end_call_with, plan_gate};

/// Results that follow from other results: duplicates get their first's, and what comes after a failed ordered
/// action is cancelled.
pub(super) fn settle_dependent_calls(step: &mut TransitionContext<'_>, batch: &mut CallBatch) {
    let mut failed = false;
    for index in 0..batch.calls.len() {
        let (earlier, rest) = batch.calls.split_at_mut(index);
        let call = &mut rest[0];
        if matches!(call.state, CallState::Delayed { .. }) && call.is_idempotency_key_expired(step.now) {
            end_call(step, call, CallStatus::Unknown, sentences::outcome_unknown());
        }
        if let CallState::Follows(first) = &call.state
            && let Some(result) =
                earlier.iter().find(|call| call.id == *first).and_then(|first| first.result().cloned())
        {
            end_call_with(step, call, as_duplicate(result));
        }
        let ordered = call.is_ordered();
        if ordered && failed && has_not_begun(call) {
            end_call(step, call, CallStatus::Cancelled, sentences::cancelled_after_failure());
        }
        let is_failure = !plan_gate::is_refused(call)
            && call.result().is_some_and(|result| result.status.group() == CallStatusGroup::Failed);
        failed |= ordered && is_failure && step.rules.actions_on_failure == ActionFailurePolicy::Stop;
    }
}

fn as_duplicate(first: CallResult) -> CallResult {
    let status = if first.is_error() { first.status } else { CallStatus::Duplicate };
    CallResult { status, code: Some("DUPLICATE".into()), ..first }
}

fn has_not_begun(call: &Call) -> bool {
    match &call.state {
        CallState::Proposed | CallState::Follows(_) | CallState::WaitingDecision | CallState::Approved(_) => {
            true
        }
        CallState::Started { .. } | CallState::Delayed { .. } | CallState::Finished { .. } => false,
    }
}

/// After an edit, duplicates are found anew: a call whose first now runs something else stands for itself, and
/// one that now says the same as an earlier one gets that one's result.
///
/// A person who changes a call did not say yes to what it was, so whoever asked for the same is asked about: also where a
/// standing approval would cover it.
pub(crate) fn find_duplicates(step: &mut TransitionContext<'_>, batch: &mut CallBatch) {
    for index in 0..batch.calls.len() {
        let (earlier, rest) = batch.calls.split_at_mut(index);
        let call = &mut rest[0];
        if !has_not_begun(call) {
            continue;
        }
        let same = |first: &&Call| {
            first.effective_command_id() == call.effective_command_id()
                && first.command.name == call.command.name
                && first.terms.is_some()
                && !matches!(first.state, CallState::Follows(_))
                && !first.result().is_some_and(|result| result.status.group() == CallStatusGroup::Cancelled)
        };
        let first = earlier.iter().find(same).map(|first| first.id.clone());
        let followed = match &call.state {
            CallState::Follows(followed) => earlier.iter().find(|first| first.id == *followed),
            CallState::Proposed
            | CallState::WaitingDecision
            | CallState::Approved(_)
            | CallState::Started { .. }
            | CallState::Delayed { .. }
            | CallState::Finished { .. } => None,
        };
        call.state = match (first, followed) {
            (Some(first), _) => CallState::Follows(first),
            (None, Some(changed)) => {
                // Journals of v0.1 have no cards, and there it began by itself.
                if call.card.is_some() {
                    call.reasons = merge_reasons(&call.reasons, &changed.reasons);
                }
                CallState::Proposed
            }
            (None, None) => continue,
        };
        step.record.record_call(call);
    }
}
