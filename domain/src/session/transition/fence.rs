//! The fence: which inputs change nothing, and why. Late, duplicate and inapplicable ones stop here, so the
//! moves behind it need no guards.

use crate::call::{CallOutcome, CallState};
use crate::id::CallId;
use crate::session::children;
use crate::session::start::may_plan;
use crate::session::wake::{is_time, watchdog_at};
use crate::session::{
    Creation, Ignored, Input, Phase, PhaseLabel, Rules, SessionFacts, SessionKind, may_work, unseen_end,
};
use crate::time::Timestamp;
use crate::validation::{Decision, Verdict};

use super::on_attachment;

/// Why this input changes nothing; none when it counts.
pub(super) fn stale(
    facts: &SessionFacts,
    phase: &Phase,
    input: &Input,
    now: Timestamp,
    rules: &Rules,
) -> Option<Ignored> {
    ended(phase, input)
        .or_else(|| seed(facts, input))
        .or_else(|| inapplicable(facts, phase, input, now, rules))
}

fn ended(phase: &Phase, input: &Input) -> Option<Ignored> {
    match phase {
        Phase::Completed { .. } => match input {
            // What became of an action may be said after the end, too.
            Input::CallSettled { .. } => None,
            // A name is no work.
            Input::RulesChanged(change) if change.only_renames() => None,
            // An ended conversation may be read, and a copy of it opens it again.
            Input::MessagesRead { .. } | Input::EndSeen { .. } | Input::SessionCopied { .. } => None,
            Input::SessionCreated(_)
            | Input::SessionActivationRequested { .. }
            | Input::StandingChanged { .. }
            | Input::UserMessageSent(_)
            | Input::MessageWithdrawn { .. }
            | Input::AiResponseReceived(_)
            | Input::ValidationReceived { .. }
            | Input::CommunicationResponseReceived { .. }
            | Input::CallFinished { .. }
            | Input::CompletionConfirmed { .. }
            | Input::CompletionRejected { .. }
            | Input::NetworkErrorOccurred { .. }
            | Input::ProviderErrorOccurred { .. }
            | Input::NetworkAvailable
            | Input::SystemErrorOccurred { .. }
            | Input::StopRequested { .. }
            | Input::RoundInterrupted { .. }
            | Input::TimeReached
            | Input::MissionContinued { .. }
            | Input::MissionEnded { .. }
            | Input::ChildEnded { .. }
            | Input::TaskFinished { .. }
            | Input::CompactionRequested { .. }
            | Input::BudgetReached { .. }
            | Input::ContextCompacted { .. }
            | Input::CompactionFailed { .. }
            | Input::RulesChanged(_)
            | Input::SessionOpened(_)
            | Input::SessionLeft { .. }
            | Input::SchedulerHeartbeat => Some(Ignored::Ended),
        },
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
        | Phase::AwaitingSessionClosure { .. }
        | Phase::WaitingTask
        | Phase::CompactingContext { .. } => None,
    }
}

/// A seed keeps its messages and is never run.
fn seed(facts: &SessionFacts, input: &Input) -> Option<Ignored> {
    let kept = matches!(
        input,
        Input::SessionCreated(_)
            | Input::UserMessageSent(_)
            | Input::StopRequested { .. }
            | Input::SessionCopied { .. }
            | Input::MessagesRead { .. }
    );
    match facts.kind {
        SessionKind::Seed if !kept => Some(Ignored::NeverRun),
        SessionKind::Seed | SessionKind::Chat | SessionKind::Automation | SessionKind::Agent => None,
    }
}

fn inapplicable(
    facts: &SessionFacts,
    phase: &Phase,
    input: &Input,
    now: Timestamp,
    rules: &Rules,
) -> Option<Ignored> {
    let unless = |applies: bool, why: Ignored| (!applies).then_some(why);
    match input {
        Input::SessionCreated(_) if facts.sequence > 0 => Some(Ignored::Duplicate),
        Input::SessionCreated(creation) => unless(may_be_born(facts, creation), Ignored::NotApplicable),
        Input::MissionContinued { .. } => {
            let rests = matches!(phase, Phase::Idle);
            unless(rests && facts.agent.as_ref().is_some_and(|agent| agent.asks()), Ignored::NotApplicable)
        }
        Input::MissionEnded { .. } => unless(facts.agent.is_some(), Ignored::NotApplicable),
        Input::ChildEnded { report } => {
            unless(children::has_at_rest(facts, &report.child), Ignored::NotApplicable)
        }
        Input::SessionActivationRequested { .. } => {
            let can_go_on = match phase.label() {
                // There is something to go on from once a person has written.
                PhaseLabel::Idle => facts.counters.rounds_total > 0 || facts.exchange > 0,
                label => label == PhaseLabel::WaitingNetworkRetry,
            };
            // An agent that asked whoever called it goes on with that answer.
            unless(
                can_go_on && !facts.agent.as_ref().is_some_and(|agent| agent.asks()),
                Ignored::NotApplicable,
            )
        }
        Input::StandingChanged { slot } => unless(facts.slot != *slot, Ignored::Duplicate),
        // It works for whoever called it: people decide on what it asks, and stop it.
        Input::UserMessageSent(_) if facts.agent.is_some() => Some(Ignored::NotApplicable),
        Input::UserMessageSent(_) => {
            let most = usize::try_from(rules.message_queue).unwrap_or(usize::MAX);
            // Where the session rests, all waiting messages are taken up at once.
            let rests = phase.label() == PhaseLabel::Idle;
            unless(most == 0 || rests || facts.queue.len() < most, Ignored::QueueFull)
        }
        Input::AiResponseReceived(response) => {
            unless(calls_model(phase, response.round, response.attempt), Ignored::Stale)
        }
        Input::NetworkErrorOccurred { round, attempt, .. }
        | Input::ProviderErrorOccurred { round, attempt, .. } => {
            unless(calls_model(phase, *round, *attempt), Ignored::Stale)
        }
        Input::CompactionRequested { .. } => {
            let rests = phase.label() == PhaseLabel::Idle && facts.kind == SessionKind::Chat;
            // Before the first round there is nothing to sum up.
            unless(rests && facts.counters.rounds_total > 0, Ignored::NotApplicable)
        }
        Input::BudgetReached { round, attempt, .. } => {
            unless(calls_model(phase, *round, *attempt), Ignored::Stale)
        }
        Input::ContextCompacted { round, attempt, .. } | Input::CompactionFailed { round, attempt, .. } => {
            unless(compacts(phase, *round, *attempt), Ignored::Stale)
        }
        Input::ValidationReceived { author, decisions } => undecidable(phase, author, decisions),
        Input::CommunicationResponseReceived { .. } => {
            unless(matches!(phase, Phase::WaitingCommunicationResponse { .. }), Ignored::NotApplicable)
        }
        Input::CallFinished { call, attempt, outcome } => {
            unless(is_awaited(facts, phase, call, *attempt, outcome, now), Ignored::Stale)
        }
        Input::CallSettled { call, .. } => unless(facts.unsettled.contains(call), Ignored::NotApplicable),
        Input::CompletionConfirmed { .. } => {
            unless(matches!(phase, Phase::WaitingCompletionConfirmation { .. }), Ignored::NotApplicable)
        }
        Input::CompletionRejected { .. } => unless(
            matches!(
                phase,
                Phase::WaitingCompletionConfirmation { .. } | Phase::AwaitingSessionClosure { .. }
            ),
            Ignored::NotApplicable,
        ),
        Input::NetworkAvailable => {
            unless(matches!(phase, Phase::WaitingNetworkRetry { .. }), Ignored::NotApplicable)
        }
        Input::SystemErrorOccurred { .. } => None,
        Input::StopRequested { end, .. } => {
            unless(*end || facts.kind != SessionKind::Chat || has_work(phase), Ignored::NotApplicable)
        }
        Input::RoundInterrupted { .. } => unless(has_work(phase), Ignored::NotApplicable),
        Input::TimeReached => unless(is_time(facts, phase, rules, now), Ignored::NotDue),
        Input::TaskFinished { task, .. } => {
            unless(facts.tasks.contains(task) || facts.overdue.contains(task), Ignored::Stale)
        }
        Input::RulesChanged(change) => {
            // Who was asked must be who answers.
            let is_calling = matches!(phase.label(), PhaseLabel::CallingAi | PhaseLabel::CompactingContext);
            unless(!(change.is_empty() || is_calling && change.voice.is_some()), Ignored::NotApplicable)
        }
        Input::SessionCopied { .. } => unless(facts.sequence > 0, Ignored::NotApplicable),
        Input::MessagesRead { reader, sequence } => {
            unless(*sequence > facts.read_by(reader) && *sequence <= facts.sequence, Ignored::Duplicate)
        }
        Input::MessageWithdrawn { message, .. } => {
            unless(facts.queue.iter().any(|queued| queued.message == *message), Ignored::NotApplicable)
        }
        Input::EndSeen { .. } if facts.is_end_seen => Some(Ignored::Duplicate),
        Input::EndSeen { .. } => unless(unseen_end(facts, phase).is_some(), Ignored::NotApplicable),
        Input::SessionOpened(opening) => {
            let may_open = !opening.asks_slot || on_attachment::may_ask(facts.kind);
            let why = if may_open { Ignored::Duplicate } else { Ignored::NotApplicable };
            let mut known = facts.attached.iter().filter(|known| known.id == opening.attachment);
            let lasts = known.any(|known| known.lease.due_at >= opening.until && !known.lease.is_due(now));
            unless(may_open && (opening.asks_slot || !lasts), why)
        }
        Input::SessionLeft { attachment, .. } => {
            unless(facts.attached.iter().any(|known| known.id == *attachment), Ignored::Duplicate)
        }
        Input::SchedulerHeartbeat => {
            let is_due = watchdog_at(facts, phase, rules).is_some_and(|at| now >= at);
            unless(is_due, Ignored::NotDue)
        }
    }
}

fn calls_model(phase: &Phase, round: u32, attempt: u32) -> bool {
    phase.label() == PhaseLabel::CallingAi && phase.round().is_some_and(|open| open.is_open(round, attempt))
}

fn compacts(phase: &Phase, round: u32, attempt: u32) -> bool {
    phase.label() == PhaseLabel::CompactingContext
        && phase.round().is_some_and(|open| open.is_open(round, attempt))
}

/// An agent is made with rights that were made of those of its parent, of the same workspace; nothing else is.
fn may_be_born(facts: &SessionFacts, creation: &Creation) -> bool {
    creation.agent.as_ref().is_none_or(|start| {
        facts.kind == SessionKind::Agent && *start.rights.rights().workspace() == facts.workspace
    })
}

/// Whether there is something to interrupt.
fn has_work(phase: &Phase) -> bool {
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
/// input counts.
fn undecidable(phase: &Phase, author: &str, decisions: &[Decision]) -> Option<Ignored> {
    let Some(batch) = phase.batch() else { return Some(Ignored::NotApplicable) };
    if decisions.is_empty() {
        return Some(Ignored::NotApplicable);
    }
    let mut repeated = 0;
    for decision in decisions {
        let Some(call) = batch.call(&decision.call) else { return Some(Ignored::NotApplicable) };
        if matches!(call.state, CallState::WaitingDecision) {
            if decision.card.is_some() && decision.card != call.card {
                return Some(Ignored::Conflict);
            }
            if let Verdict::Approve { edited } = &decision.verdict
                && let Some(objection) = call.objection(author, edited.is_some())
            {
                return Some(Ignored::FourEyes(objection));
            }
        } else {
            let same = match &decision.verdict {
                Verdict::Approve { edited } => call.decision().is_some_and(|taken| taken.edited == *edited),
                Verdict::Reject { .. } => {
                    call.result().is_some_and(|result| result.status == crate::call::CallStatus::Rejected)
                }
            };
            if !same {
                return Some(Ignored::Conflict);
            }
            repeated += 1;
        }
    }
    (repeated == decisions.len()).then_some(Ignored::Duplicate)
}

fn is_awaited(
    facts: &SessionFacts,
    phase: &Phase,
    id: &CallId,
    attempt: u32,
    outcome: &CallOutcome,
    now: Timestamp,
) -> bool {
    let Some(batch) = phase.batch() else { return false };
    let Some(call) = batch.call(id) else { return false };
    let reported = match outcome {
        CallOutcome::Reported { report, .. } => children::is_answered_by(facts, id, report),
        CallOutcome::Succeeded { .. }
        | CallOutcome::Accepted { .. }
        | CallOutcome::Failed(_)
        | CallOutcome::TimedOut
        | CallOutcome::Lost { .. }
        | CallOutcome::Probed { .. } => false,
    };
    // Nobody but its agent ends the call of an agent, and an agent ends no other.
    if reported != call.is_of_child() {
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
    attempt == 0 && planned && may_work(facts) && may_plan(batch, call, now)
}
