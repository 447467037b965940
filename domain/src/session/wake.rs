//! When a session has to be woken: the earliest deadline of its state.

use crate::call::{Call, CallState};
use crate::session::{Phase, SessionFacts, SessionRules, may_work};
use crate::time::{Deadline, Millis, Timestamp};

/// The next wake-up of a session: the earliest deadline of its state or the watchdog's check. It may be early (the
/// runtime may know a later limit of a running call), but never late.
pub fn wake_at(facts: &SessionFacts, phase: &Phase, rules: &SessionRules) -> Option<Timestamp> {
    let watched = watchdog_at(facts, phase, rules);
    deadline_at(facts, phase, rules).into_iter().chain(watched).min()
}

/// The earliest deadline of a state; its input is `TimeReached`.
pub fn deadline_at(facts: &SessionFacts, phase: &Phase, rules: &SessionRules) -> Option<Timestamp> {
    let own = deadlines(facts, phase).map(|deadline| deadline.due_at);
    own.chain(run_ends_at(facts, phase, rules)).min()
}

/// Whether a deadline of a state is due, or must be armed again because the clock was set back.
pub fn needs_wake(facts: &SessionFacts, phase: &Phase, rules: &SessionRules, now: Timestamp) -> bool {
    let set_back = rules.set_back;
    deadlines(facts, phase)
        .any(|deadline| set_back.is_due(deadline, now) || set_back.must_rebase_deadline(deadline, now))
        || run_ends_at(facts, phase, rules).is_some_and(|end| now >= end)
}

/// When the watchdog ends a run unless an input is committed before; its input is `SchedulerHeartbeat`. `None` for a
/// run that waits for a person, its slot, a long task, or a deadline of its own. The time limit of a running call is
/// not known here: the runtime checks it before the watchdog acts.
pub fn watchdog_at(facts: &SessionFacts, phase: &Phase, rules: &SessionRules) -> Option<Timestamp> {
    let may_hang = match phase {
        Phase::Idle => !facts.agent.as_ref().is_some_and(|agent| agent.awaits_answer()),
        // Agents have watchdog deadlines of their own.
        Phase::ExecutingActions(batch) | Phase::ExecutingDataQueries(batch) if batch.has_child_at_work() => {
            false
        }
        Phase::ExecutingEnrichments(_)
        | Phase::CallingAi(_)
        | Phase::ExecutingDataQueries(_)
        | Phase::ExecutingActions(_)
        | Phase::CompactingContext { .. } => call_deadlines(facts, phase).is_empty(),
        Phase::Parked(_)
        | Phase::WaitingValidation { .. }
        | Phase::WaitingCommunicationResponse { .. }
        | Phase::WaitingCompletionConfirmation { .. }
        | Phase::WaitingNetworkRetry { .. }
        | Phase::AwaitingSessionClosure { .. }
        | Phase::Completed { .. }
        | Phase::WaitingTask => false,
    };
    let is_watched = facts.kind.is_run() && may_hang && may_work(facts) && rules.watchdog.0 > 0;
    is_watched.then(|| facts.last_event_at.plus(rules.watchdog))
}

crate::words! {
    /// Why a session has to be woken.
    pub enum WakeReason {
        /// A requested approval, or a given and unspent one, expires.
        ApprovalExpires = "approval_expires",
        /// The question expires.
        QuestionExpires = "question_expires",
        /// The completion counts as confirmed.
        Confirms = "confirms",
        /// The model is called again.
        Retries = "retries",
        /// A call is retried.
        CallRetries = "call_retries",
        /// The session ends.
        Closes = "closes",
        /// An agent's question to its caller was not answered; the agent ends.
        AgentRests = "agent_rests",
        /// The run's maximum active time is reached.
        RunEnds = "run_ends",
        /// The watchdog ends an inactive run.
        Watchdog = "watchdog",
    }
}

/// Why the session is woken at `at`, a result of [`wake_at`]: the deadline due then, else the end of its run, else the
/// watchdog.
pub fn wake_reason(facts: &SessionFacts, phase: &Phase, rules: &SessionRules, at: Timestamp) -> WakeReason {
    let due = phase_deadlines(facts, phase).into_iter().find(|(deadline, _)| deadline.due_at == at);
    let otherwise = match watchdog_at(facts, phase, rules) {
        Some(watchdog) if watchdog == at => WakeReason::Watchdog,
        Some(_) | None => WakeReason::RunEnds,
    };
    due.map_or(otherwise, |(_, reason)| reason)
}

/// Arms again every deadline that was armed after `now`, including those of given approvals: the clock was set back,
/// and the elapsed time is unknown.
pub(crate) fn rebase_deadlines(facts: &mut SessionFacts, phase: &mut Phase, now: Timestamp) {
    let again = |deadline: &mut Deadline| *deadline = deadline.rebase_if_ahead(now);
    facts.asks_slot.iter_mut().for_each(again);
    if let Some(agent) = &mut facts.agent {
        agent.rests_until.iter_mut().for_each(again);
    }
    match phase {
        Phase::WaitingValidation { expires, .. } => again(expires),
        Phase::WaitingCommunicationResponse { expires, .. } => expires.iter_mut().for_each(again),
        Phase::WaitingCompletionConfirmation { confirm } => again(confirm),
        Phase::WaitingNetworkRetry { retry, .. } => again(retry),
        Phase::AwaitingSessionClosure { close, .. } => again(close),
        Phase::ExecutingEnrichments(_)
        | Phase::ExecutingDataQueries(_)
        | Phase::ExecutingActions(_)
        | Phase::Idle
        | Phase::Parked(_)
        | Phase::CallingAi(_)
        | Phase::Completed { .. }
        | Phase::WaitingTask
        | Phase::CompactingContext { .. } => {}
    }
    let Some(batch) = phase.batch_mut() else { return };
    batch.asked_until.iter_mut().for_each(again);
    for call in &mut batch.calls {
        match &mut call.state {
            CallState::Delayed { until, .. } => again(until),
            CallState::Approved(approval) => again(&mut approval.expires),
            CallState::Proposed
            | CallState::Follows(_)
            | CallState::WaitingDecision
            | CallState::Started { .. }
            | CallState::Finished { .. } => {}
        }
    }
}

/// The deadlines of a phase.
pub(crate) fn deadlines(facts: &SessionFacts, phase: &Phase) -> impl Iterator<Item = Deadline> + use<> {
    phase_deadlines(facts, phase).into_iter().map(|(deadline, _)| deadline)
}

/// The deadlines of a phase, each with its reason.
fn phase_deadlines(facts: &SessionFacts, phase: &Phase) -> Vec<(Deadline, WakeReason)> {
    match phase {
        Phase::WaitingValidation { expires, .. } => vec![(*expires, WakeReason::ApprovalExpires)],
        Phase::WaitingCommunicationResponse { expires, .. } => {
            expires.iter().map(|expires| (*expires, WakeReason::QuestionExpires)).collect()
        }
        Phase::WaitingCompletionConfirmation { confirm } => vec![(*confirm, WakeReason::Confirms)],
        Phase::WaitingNetworkRetry { retry, .. } => vec![(*retry, WakeReason::Retries)],
        Phase::AwaitingSessionClosure { close, .. } => vec![(*close, WakeReason::Closes)],
        Phase::ExecutingEnrichments(_) | Phase::ExecutingDataQueries(_) | Phase::ExecutingActions(_) => {
            let asked =
                phase.batch_awaiting_decision().map(|(_, until)| (until, WakeReason::ApprovalExpires));
            call_deadlines(facts, phase).into_iter().chain(asked).collect()
        }
        Phase::Idle => {
            let rests = facts.agent.as_ref().and_then(|agent| agent.rests_until);
            rests.map(|until| (until, WakeReason::AgentRests)).into_iter().collect()
        }
        Phase::Parked(_)
        | Phase::CallingAi(_)
        | Phase::Completed { .. }
        | Phase::WaitingTask
        | Phase::CompactingContext { .. } => Vec::new(),
    }
}

/// The deadlines of the calls of a phase. Running calls have none here, even if a decision is open beside them.
fn call_deadlines(facts: &SessionFacts, phase: &Phase) -> Vec<(Deadline, WakeReason)> {
    let Some(batch) = phase.batch().filter(|_| may_work(facts)) else { return Vec::new() };
    let idle = batch.halt.is_none() && !batch.is_busy();
    batch.calls.iter().filter_map(|call| call_deadline(call, idle)).collect()
}

/// The deadline of a call: of its next attempt, or in an idle phase of an unspent approval (a planned action that did
/// not come through), so that approval is asked again.
fn call_deadline(call: &Call, idle: bool) -> Option<(Deadline, WakeReason)> {
    match &call.state {
        CallState::Delayed { until, .. } => Some((*until, WakeReason::CallRetries)),
        CallState::Approved(approval) if idle => Some((approval.expires, WakeReason::ApprovalExpires)),
        CallState::Proposed
        | CallState::Follows(_)
        | CallState::WaitingDecision
        | CallState::Approved(_)
        | CallState::Started { .. }
        | CallState::Finished { .. } => None,
    }
}

/// When a run reaches its maximum active time.
pub(crate) fn run_ends_at(facts: &SessionFacts, phase: &Phase, rules: &SessionRules) -> Option<Timestamp> {
    let limited = facts.kind.is_run() && rules.run_duration.0 > 0;
    let closing = match phase {
        Phase::AwaitingSessionClosure { .. } | Phase::Completed { .. } => true,
        Phase::Idle
        | Phase::Parked(_)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::{SessionId, WorkspaceKey};
    use crate::question::Question;
    use crate::session::{BatchOrigin, CallBatch, EndReason, LimitProfile, ParkReason, SessionKind, Slot};

    const NOW: Timestamp = Timestamp(1_000_000);

    /// Ten minutes later.
    const LATER: Timestamp = Timestamp(NOW.0 + 600_000_000);

    fn rules() -> SessionRules {
        SessionRules::new(SessionKind::Automation, LimitProfile::Autonomous)
    }

    fn run() -> SessionFacts {
        let (id, workspace) = (SessionId::new("ses_a"), WorkspaceKey::new("ann:home"));
        SessionFacts::new(id, workspace, SessionKind::Automation, NOW)
    }

    fn batch() -> CallBatch {
        CallBatch {
            origin: BatchOrigin::Reply,
            calls: Vec::new(),
            post_text: None,
            keep_control: false,
            remarks: Vec::new(),
            refused_with_reason: false,
            asked_until: None,
            halt: None,
        }
    }

    #[test]
    fn session_wakes_at_phase_deadline_or_run_end() {
        let soon = Deadline::after(NOW, Millis::seconds(30));
        let question = Question::Validation { message: "Shall I?".into() };
        let cases = [
            (Phase::WaitingCompletionConfirmation { confirm: soon }, WakeReason::Confirms),
            (Phase::AwaitingSessionClosure { reason: EndReason::Completed, close: soon }, WakeReason::Closes),
            (
                Phase::WaitingCommunicationResponse { question, expires: Some(soon) },
                WakeReason::QuestionExpires,
            ),
            (Phase::WaitingValidation { batch: batch(), expires: soon }, WakeReason::ApprovalExpires),
        ];
        for (phase, expected) in cases {
            assert_eq!(wake_reason(&run(), &phase, &rules(), soon.due_at), expected);
            let earlier = Timestamp(soon.due_at.0 - 1);
            assert_eq!(wake_reason(&run(), &phase, &rules(), earlier), WakeReason::RunEnds);
        }
    }

    #[test]
    fn watchdog_checks_working_runs_without_deadline() {
        let due = Some(LATER);
        let held = || SessionFacts { slot: Slot::Held, ..run() };
        let working = || Phase::ExecutingDataQueries(batch());
        let soon = Deadline::after(NOW, Millis::seconds(30));
        let chat = SessionFacts { kind: SessionKind::Chat, ..held() };
        let queued = SessionFacts { slot: Slot::Queued(NOW), ..run() };
        let suspended = SessionFacts { slot: Slot::Suspended(NOW), ..run() };
        let cases = [
            ("queries", held(), working(), due),
            ("actions", held(), Phase::ExecutingActions(batch()), due),
            ("enrichments", held(), Phase::ExecutingEnrichments(batch()), due),
            ("at rest for nobody", held(), Phase::Idle, due),
            ("parked", held(), Phase::Parked(ParkReason::Interrupted), None),
            ("a chat", chat, working(), None),
            ("queued", queued, working(), None),
            ("suspended", suspended, working(), None),
            ("a task", held(), Phase::WaitingTask, None),
            ("a person", held(), Phase::WaitingValidation { batch: batch(), expires: soon }, None),
            (
                "closing",
                held(),
                Phase::AwaitingSessionClosure { reason: EndReason::Error, close: soon },
                None,
            ),
        ];
        for (what, facts, phase, expected) in cases {
            assert_eq!(watchdog_at(&facts, &phase, &rules()), expected, "{what}");
            let none = SessionRules { watchdog: Millis(0), ..rules() };
            assert_eq!(watchdog_at(&facts, &phase, &none), None, "{what}");
        }
        assert_eq!(wake_at(&held(), &working(), &rules()), due);
        assert_eq!(wake_reason(&held(), &working(), &rules(), LATER), WakeReason::Watchdog);
    }
}
