//! The start gate: the only place where work starts.
//!
//! Every model call, query and action starts here. Nothing starts without a slot; external work starts only with
//! `started` recorded in the same commit; a call that needs approval starts only by spending one.

use crate::call::{Call, CallState, CallStep};
use crate::command::{CommandKind, EffectClass};
use crate::session::{
    CallBatch, ClockSetbackPolicy, JournalNote, Phase, TransitionContext, call_batch, child_agents, may_work,
};
use crate::time::Timestamp;
use crate::validation::Approval;

/// Whether a call may start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum StartClearance {
    /// It needs no approval.
    Free,
    /// It is approved; this start spends the approval.
    Spend(Approval),
    /// A person must approve first: the approval is missing, expired, or was given for something else.
    AskFirst,
    /// It is running, waits for a decision or for the policy, or is finished.
    NotItsTurn,
}

/// Whether a call may start now.
pub(crate) fn start_clearance(call: &Call, set_back: ClockSetbackPolicy, now: Timestamp) -> StartClearance {
    if call.awaits_policy() {
        return StartClearance::NotItsTurn;
    }
    match &call.state {
        CallState::Proposed if call.reasons.is_empty() => StartClearance::Free,
        CallState::Proposed => StartClearance::AskFirst,
        CallState::Approved(approval) if is_valid(approval, call, set_back, now) => {
            StartClearance::Spend(approval.clone())
        }
        CallState::Approved(_) => StartClearance::AskFirst,
        CallState::Follows(_)
        | CallState::WaitingDecision
        | CallState::Started { .. }
        | CallState::Delayed { .. }
        | CallState::Finished { .. } => StartClearance::NotItsTurn,
    }
}

fn is_valid(approval: &Approval, call: &Call, set_back: ClockSetbackPolicy, now: Timestamp) -> bool {
    let bound_to = approval.edited.as_ref().map_or(&call.command_id, |edit| &edit.command_id);
    !set_back.is_due(approval.expires, now)
        && approval.command_id == *bound_to
        && approval.card == call.card
        && call.four_eyes_objection(&approval.author, approval.edited.is_some()).is_none()
        && call.has_enough_approvals()
        && call.terms.as_ref().is_some_and(|terms| terms.version == approval.version)
}

/// Whether a local action may be planned now: it is next, cleared, and its batch is not halted.
pub(crate) fn may_plan(batch: &CallBatch, call: &Call, set_back: ClockSetbackPolicy, now: Timestamp) -> bool {
    call.effect_class() == EffectClass::Local && may_begin(batch, call, set_back, now)
}

/// Starts all work that may start.
pub(crate) fn start_ready_work(step: &mut TransitionContext<'_>, phase: Phase) -> Phase {
    if !may_work(step.facts) {
        return phase;
    }
    match phase {
        Phase::CallingAi(mut round) => {
            if round.started_at.is_none() {
                round.started_at = Some(step.now);
                step.record
                    .add_note(JournalNote::AttemptStarted { round: round.number, attempt: round.attempt });
            }
            Phase::CallingAi(round)
        }
        Phase::CompactingContext { mut round, summing } => {
            round.started_at.get_or_insert(step.now);
            Phase::CompactingContext { round, summing }
        }
        Phase::ExecutingEnrichments(mut batch) => {
            start_queries(step, &mut batch);
            Phase::ExecutingEnrichments(batch)
        }
        Phase::ExecutingDataQueries(mut batch) => {
            start_queries(step, &mut batch);
            Phase::ExecutingDataQueries(batch)
        }
        Phase::ExecutingActions(mut batch) => {
            if start_actions(step, &mut batch) {
                Phase::ExecutingActions(batch)
            } else {
                // A call was refused here instead of started, so the calls after it may be next.
                let after = call_batch::advance(step, batch);
                start_ready_work(step, after)
            }
        }
        Phase::Idle
        | Phase::Parked(_)
        | Phase::WaitingValidation { .. }
        | Phase::WaitingCommunicationResponse { .. }
        | Phase::WaitingCompletionConfirmation { .. }
        | Phase::WaitingNetworkRetry { .. }
        | Phase::AwaitingSessionClosure { .. }
        | Phase::Completed { .. }
        | Phase::WaitingTask => phase,
    }
}

fn start_queries(step: &mut TransitionContext<'_>, batch: &mut CallBatch) {
    // A query that waits for its next attempt keeps its parallelism place, so that it can start on time.
    let taken = |call: &&Call| matches!(call.state, CallState::Started { .. } | CallState::Delayed { .. });
    let running = batch.calls.iter().filter(|call| call.kind == CommandKind::Query && taken(call)).count();
    let most = usize::try_from(step.rules.queries_parallel.max(1)).unwrap_or(usize::MAX);
    let mut free = most.saturating_sub(running);
    for index in 0..batch.calls.len() {
        let waits = !is_next(batch, &batch.calls[index]);
        let call = &mut batch.calls[index];
        if call.kind != CommandKind::Query || waits {
            continue;
        }
        if matches!(call.state, CallState::Delayed { .. }) {
            start_call(step, call);
        } else if free > 0 && start_call(step, call) {
            free -= 1;
        }
    }
}

/// Starts the actions that are next; false if a call got its result instead of starting.
fn start_actions(step: &mut TransitionContext<'_>, batch: &mut CallBatch) -> bool {
    if batch.halt.is_some() || batch.waits_for_all_decisions() {
        return true;
    }
    let mut all_began = true;
    for index in 0..batch.calls.len() {
        let call = &batch.calls[index];
        if call.kind == CommandKind::Action
            && call.effect_class() != EffectClass::Local
            && is_next(batch, call)
        {
            let call = &mut batch.calls[index];
            all_began &=
                if call.is_answered_by_agent() { start_agent(step, call) } else { begin_action(step, call) };
        }
    }
    all_began
}

/// Starts an action. Always true, because no result is decided here.
fn begin_action(step: &mut TransitionContext<'_>, call: &mut Call) -> bool {
    start_call(step, call);
    true
}

/// Starts the call of an agent, whose session the same commit creates; false if the agent may not start.
fn start_agent(step: &mut TransitionContext<'_>, call: &mut Call) -> bool {
    match start_clearance(call, step.rules.set_back, step.now) {
        StartClearance::Free | StartClearance::Spend(_) => {}
        StartClearance::AskFirst | StartClearance::NotItsTurn => return true,
    }
    match child_agents::begin_agent_call(step, call) {
        Ok(()) => begin_action(step, call),
        Err(result) => {
            call_batch::end_call_with(step, call, *result);
            false
        }
    }
}

/// Whether an action may start now: it is next and needs no further decision.
pub(crate) fn may_begin(
    batch: &CallBatch,
    call: &Call,
    set_back: ClockSetbackPolicy,
    now: Timestamp,
) -> bool {
    let cleared = match start_clearance(call, set_back, now) {
        StartClearance::Free | StartClearance::Spend(_) => true,
        StartClearance::AskFirst | StartClearance::NotItsTurn => false,
    };
    cleared && batch.halt.is_none() && !batch.waits_for_all_decisions() && is_next(batch, call)
}

/// Whether no earlier call has to end before this one starts, see [`CallBatch::calls_before`].
pub(crate) fn is_next(batch: &CallBatch, call: &Call) -> bool {
    batch.calls_before(call).next().is_none()
}

/// Marks a call as started and spends the approval it needs; false if it may not start.
fn start_call(step: &mut TransitionContext<'_>, call: &mut Call) -> bool {
    let (what, spent) = match &call.state {
        CallState::Delayed { until, step: what, spent }
            if step.rules.set_back.is_due(*until, step.now) && !call.is_idempotency_key_expired(step.now) =>
        {
            (*what, spent.clone())
        }
        CallState::Delayed { .. } => return false,
        CallState::Proposed
        | CallState::Follows(_)
        | CallState::WaitingDecision
        | CallState::Approved(_)
        | CallState::Started { .. }
        | CallState::Finished { .. } => match start_clearance(call, step.rules.set_back, step.now) {
            StartClearance::Free => (CallStep::Run, None),
            StartClearance::Spend(approval) => (CallStep::Run, Some(approval)),
            StartClearance::AskFirst | StartClearance::NotItsTurn => return false,
        },
    };
    call.state = CallState::Started { at: step.now, step: what, spent };
    call.attempt = call.attempt.saturating_add(1);
    call.first_started_at.get_or_insert(step.now);
    step.record.record_call(call);
    true
}
