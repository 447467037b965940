//! Applicability checks that need more than the phase.

use crate::call::{CallOutcome, CallState, CallStatus};
use crate::id::CallId;
use crate::session::call_batch::CallBatch;
use crate::session::child_agents;
use crate::session::start_gate::may_plan;
use crate::session::{
    ClockSetbackPolicy, IgnoreReason, Phase, SessionCreation, SessionFacts, SessionKind, may_work,
};
use crate::time::Timestamp;
use crate::validation::{Decision, DecisionVerdict};

/// Whether the creation is allowed: an agent's rights must be derived from its parent's, in the same workspace.
pub(super) fn is_creation_allowed(facts: &SessionFacts, creation: &SessionCreation) -> bool {
    creation.agent.as_ref().is_none_or(|start| {
        facts.kind == SessionKind::Agent && *start.rights.rights().workspace() == facts.workspace
    })
}

/// Why decisions are rejected, if so. Every decision must be for a call of the batch, and at least one for an undecided
/// call. A repeated identical decision is accepted; a different one, or one for another card than the open one, is a
/// conflict and rejects the whole input, as does a late decision.
pub(super) fn decision_rejection(
    batch: &CallBatch,
    author: &str,
    decisions: &[Decision],
    now: Timestamp,
) -> Option<IgnoreReason> {
    let is_late = batch.asked_until.is_some_and(|until| until.is_due(now));
    if decisions.is_empty() || is_late {
        return Some(IgnoreReason::NotApplicable);
    }
    let mut repeated = 0;
    for decision in decisions {
        let Some(call) = batch.call(&decision.call) else { return Some(IgnoreReason::NotApplicable) };
        if matches!(call.state, CallState::WaitingDecision) {
            if decision.card.is_some() && decision.card != call.card {
                return Some(IgnoreReason::Conflict);
            }
            let DecisionVerdict::Approve { edited } = &decision.verdict else { continue };
            if let Some(objection) = call.approver_objection(author, edited.is_some(), now) {
                return Some(IgnoreReason::FourEyes(objection));
            }
            // The call waits for other people.
            repeated += usize::from(call.has_approval_of(author));
        } else {
            let same = match &decision.verdict {
                DecisionVerdict::Approve { edited } => {
                    call.decision().is_some_and(|taken| taken.edited == *edited)
                }
                DecisionVerdict::Reject { .. } => {
                    call.result().is_some_and(|result| result.status == CallStatus::Rejected)
                }
            };
            if !same {
                return Some(IgnoreReason::Conflict);
            }
            repeated += 1;
        }
    }
    (repeated == decisions.len()).then_some(IgnoreReason::Duplicate)
}

pub(super) fn is_awaited_call(
    facts: &SessionFacts,
    phase: &Phase,
    id: &CallId,
    attempt: u32,
    outcome: &CallOutcome,
    set_back: ClockSetbackPolicy,
    now: Timestamp,
) -> bool {
    let Some(batch) = phase.batch() else { return false };
    let Some(call) = batch.call(id) else { return false };
    let reported = match outcome {
        CallOutcome::Reported { report, .. } => child_agents::awaits_child_report(facts, id, report),
        CallOutcome::Succeeded { .. }
        | CallOutcome::Accepted { .. }
        | CallOutcome::Failed(_)
        | CallOutcome::TimedOut
        | CallOutcome::Lost { .. }
        | CallOutcome::Probed { .. } => false,
    };
    // Only its agent finishes the call of an agent, and an agent finishes no other call.
    if reported != call.is_answered_by_agent() {
        return false;
    }
    if call.is_started() {
        return call.attempt == attempt;
    }
    // A task that reports was accepted, whatever the next attempt would have returned.
    let is_proved = matches!(outcome, CallOutcome::Accepted { .. }) && call.is_under_way();
    if is_proved && call.task().is_some() {
        return call.attempt == attempt;
    }
    let planned = match outcome {
        CallOutcome::Succeeded { .. } | CallOutcome::Failed(_) => true,
        CallOutcome::Accepted { .. }
        | CallOutcome::TimedOut
        | CallOutcome::Lost { .. }
        | CallOutcome::Probed { .. }
        | CallOutcome::Reported { .. } => false,
    };
    attempt == 0 && planned && may_work(facts) && may_plan(batch, call, set_back, now)
}
