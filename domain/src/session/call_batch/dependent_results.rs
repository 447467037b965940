//! Results that depend on the results of other calls.

use crate::call::{Call, CallResult, CallState, CallStatus, CallStatusGroup};
use crate::command::since_last_change;
use crate::localizable_text::sentences;
use crate::session::{ActionFailurePolicy, CallBatch, TransitionContext};
use crate::validation::merge_reasons;

use super::{end_call, end_call_with, plan_gate};

/// Settles dependent calls: duplicates get the result of their original, actions after a failed ordered action are
/// cancelled, and so are queries of a state that was not changed as requested before them.
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
        if let Some(undone) = undone_change_before(earlier, call) {
            let text = sentences::cancelled_after_undone(&undone.command.name);
            end_call(step, call, CallStatus::Cancelled, text);
        }
        let is_failure = !plan_gate::is_refused(call)
            && call.result().is_some_and(|result| result.status.group() == CallStatusGroup::Failed);
        failed |= ordered && is_failure && step.rules.actions_on_failure == ActionFailurePolicy::Stop;
    }
}

/// The earlier action that should have changed what this query reads and ended without doing so.
fn undone_change_before<'a>(earlier: &'a [Call], query: &Call) -> Option<&'a Call> {
    let waits = has_not_begun(query) && !matches!(query.state, CallState::Follows(_));
    earlier.iter().find(|action| waits && query.reads_state_of(action) && is_undone(action))
}

/// Whether a call ended without its effect. A repeated action had its effect before; one of unknown outcome may have had
/// it, which the query may show; one that must wait for a plan was not tried, and queries help to make the plan.
fn is_undone(call: &Call) -> bool {
    call.result().is_some_and(|result| match (result.status.group(), result.status) {
        (CallStatusGroup::Failed, CallStatus::Repeated | CallStatus::Unknown | CallStatus::PlanFirst) => {
            false
        }
        (CallStatusGroup::Failed | CallStatusGroup::Cancelled, _) => true,
        (CallStatusGroup::Success | CallStatusGroup::Cached, _) => false,
    })
}

/// The earlier equal call whose result a requested call gets. A query does not get the result of one before which the
/// state was another: an action of its server or resource stands between them.
pub(super) fn original_of<'a>(
    call: &Call,
    earlier: &'a [Call],
    is_original: impl Fn(&Call) -> bool,
) -> Option<&'a Call> {
    since_last_change(earlier, |action| call.reads_state_of(action)).iter().find(|first| is_original(first))
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
        let same = |first: &Call| {
            first.effective_command_id() == call.effective_command_id()
                && first.command.name == call.command.name
                && first.terms.is_some()
                && !matches!(first.state, CallState::Follows(_))
                && !first.result().is_some_and(|result| result.status.group() == CallStatusGroup::Cancelled)
        };
        let first = original_of(call, earlier, same).map(|first| first.id.clone());
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
