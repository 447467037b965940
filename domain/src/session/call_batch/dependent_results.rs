//! Results that depend on the results of other calls.

use crate::call::{Call, CallResult, CallState, CallStatus, CallStatusGroup};
use crate::localizable_text::sentences;
use crate::session::{ActionFailurePolicy, CallBatch, TransitionContext};
use crate::validation::merge_reasons;

use super::{end_call, end_call_with, plan_gate};

/// Settles dependent calls: duplicates get the result of their original, and actions after a failed ordered action are
/// cancelled.
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

/// Searches duplicates again after an edit: a call whose original now runs something else stands alone, and one that
/// now equals an earlier call gets that call's result.
///
/// A person who edits a call has not approved its original arguments. A duplicate with those arguments therefore needs
/// a decision of its own, even if a standing approval would cover it.
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
                // In journals of v0.1, which have no cards, the call started without asking.
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
