//! When a session wants to be woken: the earliest deadline of its state.

use crate::command::{Call, CallState};
use crate::session::{Phase, Rules, SessionFacts, SessionKind, may_work};
use crate::time::{Deadline, Millis, Timestamp};

/// The earliest deadline of a state. The event is `TimeReached`.
pub fn wake_at(facts: &SessionFacts, phase: &Phase, rules: &Rules) -> Option<Timestamp> {
    let own = deadlines(facts, phase).into_iter().map(|deadline| deadline.due_at);
    own.chain(run_ends_at(facts, phase, rules)).min()
}

/// The deadlines of a phase.
pub(crate) fn deadlines(facts: &SessionFacts, phase: &Phase) -> Vec<Deadline> {
    match phase {
        Phase::WaitingValidation { expires, .. } => vec![*expires],
        Phase::WaitingCommunicationResponse { expires, .. } => expires.iter().copied().collect(),
        Phase::WaitingCompletionConfirmation { confirm } => vec![*confirm],
        Phase::WaitingNetworkRetry { retry, .. } => vec![*retry],
        Phase::AwaitingSessionClosure { close, .. } => vec![*close],
        Phase::ExecutingEnrichments(batch)
        | Phase::ExecutingDataQueries(batch)
        | Phase::ExecutingActions(batch) => {
            let idle = batch.halt.is_none() && !batch.is_busy();
            if may_work(facts) {
                batch.calls.iter().filter_map(|call| delay(call, idle)).collect()
            } else {
                Vec::new()
            }
        }
        Phase::Idle
        | Phase::CallingAi(_)
        | Phase::Completed { .. }
        | Phase::WaitingTask
        | Phase::CompactingContext { .. } => Vec::new(),
    }
}

/// The deadline of a call: of its next attempt; or, where nothing is under way, of leave that was not spent (a
/// planned action that did not come through), so that it is asked for again.
fn delay(call: &Call, idle: bool) -> Option<Deadline> {
    match &call.state {
        CallState::Delayed { until, .. } => Some(*until),
        CallState::Approved(approval) if idle => Some(approval.expires),
        CallState::Proposed
        | CallState::Follows(_)
        | CallState::WaitingDecision
        | CallState::Approved(_)
        | CallState::Started { .. }
        | CallState::Finished { .. } => None,
    }
}

/// When a run has been active for as long as it may.
pub(crate) fn run_ends_at(facts: &SessionFacts, phase: &Phase, rules: &Rules) -> Option<Timestamp> {
    let limited = match facts.kind {
        SessionKind::Automation | SessionKind::Agent => rules.run_duration.0 > 0,
        SessionKind::Chat | SessionKind::Seed => false,
    };
    let closing = match phase {
        Phase::AwaitingSessionClosure { .. } | Phase::Completed { .. } => true,
        Phase::Idle
        | Phase::ExecutingEnrichments(_)
        | Phase::CallingAi(_)
        | Phase::WaitingValidation { .. }
        | Phase::WaitingCommunicationResponse { .. }
        | Phase::ExecutingDataQueries(_)
        | Phase::ExecutingActions(_)
        | Phase::WaitingCompletionConfirmation { .. }
        | Phase::WaitingNetworkRetry { .. }
        | Phase::WaitingTask
        | Phase::CompactingContext { .. } => false,
    };
    let halted = phase.batch().is_some_and(|batch| batch.halt.is_some());
    let left = Millis(rules.run_duration.0.saturating_sub(facts.active_before.0).max(0));
    facts.active_since.filter(|_| limited && !closing && !halted).map(|since| since.plus(left))
}
