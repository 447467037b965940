//! Equality of states: two states count as one if they differ only in values that no decision reads. Ids are replaced
//! by positions, instants by spans from now, and displayed totals are left out; counters that limits read stay.

use std::hash::{DefaultHasher, Hash, Hasher};

use entracte_domain::agent::AgentLastState;
use entracte_domain::call::{Call, CallState};
use entracte_domain::id::{CallId, Digest, MessageId, SessionId};
use entracte_domain::localizable_text::LocalizableText;
use entracte_domain::session::{
    BatchOrigin, CallBatch, CompletionCheck, Dialect, NetworkPolicy, ParkReason, Phase, Round, RoundReason,
    SessionFacts, SessionKind, SessionRules, Slot,
};
use entracte_domain::time::{Deadline, Millis, Timestamp};
use entracte_domain::usage::Usage;
use entracte_domain::validation::{Approval, PolicyCheck};

use super::explored_state::ExploredState;

/// The key of a state: a hash. Among a million states, two collide once in 30 million explorations.
pub(super) type StateHash = u64;

impl ExploredState {
    /// The key of this state.
    pub(super) fn key(&self, rules: &SessionRules) -> StateHash {
        if let Phase::Completed { reason } = &self.phase {
            let mut hasher = DefaultHasher::new();
            reason.hash(&mut hasher);
            return hasher.finish();
        }
        let facts = facts(&self.facts, self.now, rules);
        let phase = phase(&self.phase, self.now, rules);
        let runs: Vec<u32> = self.runs.iter().map(|(_, times)| *times).collect();
        let mut hasher = DefaultHasher::new();
        (&facts, &phase, &runs, self.counts.limited_by(rules)).hash(&mut hasher);
        hasher.finish()
    }
}

const NOUGHT: Timestamp = Timestamp(0);

fn facts(facts: &SessionFacts, now: Timestamp, rules: &SessionRules) -> SessionFacts {
    let mut facts = facts.clone();
    facts.sequence = 0;
    facts.generation = 1;
    facts.exchange = facts.exchange.min(1);
    facts.usage = Usage::default();
    facts.created_at = NOUGHT;
    facts.last_event_at = NOUGHT;
    facts.last_human_at = NOUGHT;
    facts.active_since = None;
    facts.active_before = Millis(0);
    facts.crashes.last_start = None;
    facts.slot = match facts.slot {
        Slot::Held => Slot::Held,
        // The reason why it has no slot matters only to placement.
        Slot::None | Slot::Queued(_) | Slot::Suspended(_) => Slot::None,
    };
    let counters = &mut facts.counters;
    if facts.agent.is_none() {
        // Rounds of an agent count against its lent budget.
        counters.rounds_total = counters.rounds_total.min(1);
    }
    counters.calls_total = 0;
    if facts.kind != SessionKind::Chat || facts.dialect != Dialect::Tools {
        counters.relaunches = 0;
    }
    if rules.without_progress == 0 {
        counters.without_progress = 0;
        facts.seen.clear();
    }
    facts.seen.sort();
    for queued in &mut facts.queue {
        queued.message = MessageId::new("");
    }
    facts.unsettled.clear();
    facts.failed.clear();
    family(&mut facts, now);
    facts
}

/// No decision reads which agent it is, its caller and its last message; only whether it asked is read.
fn family(facts: &mut SessionFacts, now: Timestamp) {
    facts.parent = None;
    facts.below.usage = Usage::default();
    if let Some(agent) = &mut facts.agent {
        agent.last = AgentLastState::default();
        agent.rests_until = agent.rests_until.map(|until| deadline(until, now));
    }
    for (place, child) in facts.children.iter_mut().enumerate() {
        child.session = SessionId::new(place.to_string());
        child.call = CallId::new("");
        child.usage = Usage::default();
    }
}

fn phase(phase: &Phase, now: Timestamp, rules: &SessionRules) -> Phase {
    match phase {
        Phase::CallingAi(open) => Phase::CallingAi(round(open, rules)),
        Phase::CompactingContext { round: open, summing } => {
            Phase::CompactingContext { round: round(open, rules), summing: summing.clone() }
        }
        Phase::WaitingNetworkRetry { round: open, retry } => {
            Phase::WaitingNetworkRetry { round: round(open, rules), retry: deadline(*retry, now) }
        }
        Phase::ExecutingEnrichments(calls) => Phase::ExecutingEnrichments(batch(calls, now, rules)),
        Phase::ExecutingDataQueries(calls) => Phase::ExecutingDataQueries(batch(calls, now, rules)),
        Phase::ExecutingActions(calls) => Phase::ExecutingActions(batch(calls, now, rules)),
        Phase::WaitingValidation { batch: calls, expires } => {
            Phase::WaitingValidation { batch: batch(calls, now, rules), expires: deadline(*expires, now) }
        }
        Phase::WaitingCommunicationResponse { question, expires } => Phase::WaitingCommunicationResponse {
            question: question.clone(),
            expires: expires.map(|expires| deadline(expires, now)),
        },
        Phase::WaitingCompletionConfirmation { confirm } => {
            Phase::WaitingCompletionConfirmation { confirm: deadline(*confirm, now) }
        }
        Phase::AwaitingSessionClosure { reason, close } => {
            Phase::AwaitingSessionClosure { reason: *reason, close: deadline(*close, now) }
        }
        Phase::Parked(_) => Phase::Parked(ParkReason::Interrupted),
        Phase::Idle | Phase::Completed { .. } | Phase::WaitingTask => phase.clone(),
    }
}

fn deadline(deadline: Deadline, now: Timestamp) -> Deadline {
    let left = deadline.due_at.0.saturating_sub(now.0).max(0);
    Deadline { armed_at: NOUGHT, due_at: Timestamp(left) }
}

fn round(round: &Round, rules: &SessionRules) -> Round {
    let waits_matter = match rules.network {
        NetworkPolicy::Forever => rules.chat_waits,
        NetworkPolicy::Backoff => 3,
    };
    Round {
        number: 1,
        attempt: 1,
        reason: reason(round.reason, rules),
        started_at: round.started_at.map(|_| NOUGHT),
        waits: round.waits.min(waits_matter),
        ..round.clone()
    }
}

/// Decisions read only whether the reason is a completion check, and whether a person acted.
fn reason(reason: RoundReason, rules: &SessionRules) -> RoundReason {
    match rules.completion_check {
        CompletionCheck::AskOnce if reason == RoundReason::CompletionCheck => reason,
        CompletionCheck::AskOnce | CompletionCheck::Trust if reason.is_autonomous() => {
            RoundReason::Continuation
        }
        CompletionCheck::AskOnce | CompletionCheck::Trust => RoundReason::UserMessage,
    }
}

fn batch(batch: &CallBatch, now: Timestamp, rules: &SessionRules) -> CallBatch {
    let place = |id: &CallId| {
        let at = batch.calls.iter().position(|call| call.id == *id).unwrap_or(usize::MAX);
        CallId::new(at.to_string())
    };
    let calls = batch.calls.iter().map(|known| call(known, now, rules, &place)).collect();
    let origin = match batch.origin {
        BatchOrigin::Reply => BatchOrigin::Reply,
        BatchOrigin::Enrichments(then) => BatchOrigin::Enrichments(reason(then, rules)),
    };
    CallBatch { calls, origin, remarks: Vec::new(), asked_until: None, ..batch.clone() }
}

fn call(call: &Call, now: Timestamp, rules: &SessionRules, place: &impl Fn(&CallId) -> CallId) -> Call {
    let mut call = call.clone();
    call.id = place(&call.id);
    call.requested_at = NOUGHT;
    call.exchange = 0;
    // Decisions read only whether the key is still valid at the first start. Retries take a few seconds of its minute.
    call.first_started_at = call.is_idempotency_key_expired(now).then_some(NOUGHT);
    call.approvals.iter_mut().for_each(|given| given.at = NOUGHT);
    if let Some(PolicyCheck::Answered(answer)) = &mut call.policy {
        answer.at = NOUGHT;
    }
    call.state = match call.state {
        CallState::Follows(first) => CallState::Follows(place(&first)),
        CallState::Approved(given) => CallState::Approved(approval(&given, now, true)),
        CallState::Started { step, spent, .. } => {
            CallState::Started { at: NOUGHT, step, spent: spent.map(|spent| approval(&spent, now, false)) }
        }
        CallState::Delayed { until, step, spent } => CallState::Delayed {
            until: deadline(until, now),
            step,
            spent: spent.map(|spent| approval(&spent, now, false)),
        },
        CallState::Finished { mut result, .. } => {
            result.at = NOUGHT;
            result.content = LocalizableText::default();
            result.digest = result.digest.map(|_| Digest::new(""));
            if rules.equal_failures == 0 {
                result.code = None;
                result.path = None;
            }
            CallState::Finished { result, decision: None }
        }
        state @ (CallState::Proposed | CallState::WaitingDecision) => state,
    };
    call
}

fn approval(approval: &Approval, now: Timestamp, open: bool) -> Approval {
    let nought = Deadline { armed_at: NOUGHT, due_at: NOUGHT };
    let (expires, edited) =
        if open { (deadline(approval.expires, now), approval.edited.clone()) } else { (nought, None) };
    Approval { at: NOUGHT, expires, edited, ..approval.clone() }
}
