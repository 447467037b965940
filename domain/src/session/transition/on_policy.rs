//! `PolicyAnswered`: the policy hook answered about a call that has not started. The answer adds requirements and removes
//! none.

use crate::call::{Call, CallState, CallStatus};
use crate::id::{CallId, Digest};
use crate::session::call_batch;
use crate::session::{Phase, TransitionContext};
use crate::validation::{ApprovalReason, PolicyAnswer, PolicyCheck, PolicyDecision};

/// The approval that a call needs after the answer of the policy.
pub(super) struct CardUnderPolicy {
    /// Why approval is needed.
    pub(super) reasons: Vec<ApprovalReason>,
    /// Hash of the card; `None` if no approval is needed.
    pub(super) card: Option<Digest>,
}

pub(super) fn on(
    step: &mut TransitionContext<'_>,
    phase: Phase,
    id: &CallId,
    answer: PolicyAnswer,
    shown: CardUnderPolicy,
) -> Phase {
    let (Phase::WaitingValidation { mut batch, .. }
    | Phase::ExecutingEnrichments(mut batch)
    | Phase::ExecutingDataQueries(mut batch)
    | Phase::ExecutingActions(mut batch)) = phase
    else {
        return step.keep_unexpected(phase);
    };
    if let Some(call) = batch.calls.iter_mut().find(|call| call.id == *id) {
        apply_answer(step, call, answer, shown);
    }
    call_batch::advance(step, batch)
}

fn apply_answer(
    step: &mut TransitionContext<'_>,
    call: &mut Call,
    answer: PolicyAnswer,
    shown: CardUnderPolicy,
) {
    let refusal = match answer.decision {
        PolicyDecision::Deny => Some(answer.refusal_text()),
        PolicyDecision::Allow | PolicyDecision::Ask | PolicyDecision::NoAnswer => None,
    };
    call.policy = Some(PolicyCheck::Answered(answer));
    if let Some(text) = refusal {
        return call_batch::end_call(step, call, CallStatus::Forbidden, text);
    }
    call.reasons = shown.reasons;
    call.card = shown.card;
    // A person who edited the arguments has approved exactly these: the policy need not ask for this person again. Any
    // other approval is for the card that was shown, so an answer that changes the card asks again.
    if let CallState::Approved(approval) = &mut call.state
        && approval.edited.is_some()
    {
        approval.card.clone_from(&call.card);
        let (author, at) = (approval.author.clone(), approval.at);
        call.record_approval(&author, at);
    }
    step.record.record_call(call);
}
