//! Whether an input applies where it takes more than a look at the phase.

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

/// An agent is made with rights that were made of those of its parent, of the same workspace; nothing else is.
pub(super) fn is_creation_allowed(facts: &SessionFacts, creation: &SessionCreation) -> bool {
    creation.agent.as_ref().is_none_or(|start| {
        facts.kind == SessionKind::Agent && *start.rights.rights().workspace() == facts.workspace
    })
}

/// Whether there is something to interrupt.
pub(super) fn has_work(phase: &Phase) -> bool {
    match phase {
        Phase::Idle | Phase::Parked(_) | Phase::Completed { .. } => false,
        Phase::ExecutingEnrichments(_)
        | Phase::CallingAi(_)
        | Phase::WaitingValidation { .. }
        | Phase::WaitingCommunicationResponse { .. }
        | Phase::ExecutingDataQueries(_)
        | Phase::ExecutingActions(_)
        | Phase::WaitingCompletionConfirmation { .. }
        | Phase::WaitingNetworkRetry { .. }
        | Phase::AwaitingSessionClosure { .. }
        | Phase::WaitingTask
        | Phase::CompactingContext { .. } => true,
    }
}

/// Every decision must be for a call of the batch, and one of them for a call that is undecided. The same answer
/// again is the same answer; another one, and one for another card than the open one, is a conflict, and none of its
/// input counts. Nor does one that comes too late.
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
            if let DecisionVerdict::Approve { edited } = &decision.verdict
                && let Some(objection) = call.four_eyes_objection(author, edited.is_some())
            {
                return Some(IgnoreReason::FourEyes(objection));
            }
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
    (set_back, now): (ClockSetbackPolicy, Timestamp),
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
    // Nobody but its agent ends the call of an agent, and an agent ends no other.
    if reported != call.is_answered_by_agent() {
        return false;
    }
    if call.is_started() {
        return call.attempt == attempt;
    }
    // A task that is heard of was taken, whatever the next attempt would have said.
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
