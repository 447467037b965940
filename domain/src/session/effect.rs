//! The effects that a state wants. They are derived, never stored: the runtime starts desired effects that are not
//! running and drops running ones that are no longer desired. This rule alone implements stop, interrupt, suspension
//! and pre-emption.

use crate::call::{Call, CallState, CallStep};
use crate::id::{CallId, Digest};
use crate::session::start_gate::may_plan;
use crate::session::{CallBatch, ClockSetbackPolicy, Phase, Round, SessionFacts, SummaryProgress, may_work};
use crate::time::Timestamp;

/// An effect that a state wants. Its outcome carries the same numbers, so that a late one is recognized.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Effect {
    /// Call the model.
    CallModel {
        /// Number of the round.
        round: u32,
        /// Number of the attempt.
        attempt: u32,
        /// True if no commands may be requested (closing call at a limit).
        closing: bool,
        /// True if the answer should be words only.
        words_only: bool,
    },
    /// Run a call that the ledger shows as started.
    RunCall {
        /// Id of the call.
        call: CallId,
        /// Number of its attempt.
        attempt: u32,
    },
    /// Probe whether a call's effect happened.
    AskCall {
        /// Id of the call.
        call: CallId,
        /// Number of its attempt.
        attempt: u32,
    },
    /// Ask the policy hook about a call that has not started.
    AskPolicy {
        /// Id of the call.
        call: CallId,
        /// Hash of the command that the hook is asked about.
        command_id: Digest,
    },
    /// Plan a local action and apply its outcome, inside `handle`.
    PlanCall {
        /// Id of the call.
        call: CallId,
    },
    /// Summarize the context.
    Compact {
        /// Number of the round that waits for the summary.
        round: u32,
        /// Number of its attempt.
        attempt: u32,
        /// Method and progress of the summary.
        summing: SummaryProgress,
    },
}

/// The effects this state wants at `now`.
pub fn desired_effects(facts: &SessionFacts, phase: &Phase, now: Timestamp) -> Vec<Effect> {
    match phase {
        Phase::CallingAi(round) => start_effects(round, |round| Effect::CallModel {
            round: round.number,
            attempt: round.attempt,
            closing: round.closing,
            words_only: round.words_only,
        }),
        Phase::CompactingContext { round, summing } => start_effects(round, |round| Effect::Compact {
            round: round.number,
            attempt: round.attempt,
            summing: summing.clone(),
        }),
        Phase::ExecutingEnrichments(batch)
        | Phase::ExecutingDataQueries(batch)
        | Phase::ExecutingActions(batch) => {
            let may_begin_here = may_work(facts);
            let effect = |call| {
                policy_effect(call, may_begin_here)
                    .or_else(|| call_effect(call))
                    .or_else(|| plan_effect(batch, call, may_begin_here, now))
            };
            batch.calls.iter().filter_map(effect).collect()
        }
        Phase::Idle
        | Phase::Parked(_)
        | Phase::WaitingValidation { .. }
        | Phase::WaitingCommunicationResponse { .. }
        | Phase::WaitingCompletionConfirmation { .. }
        | Phase::WaitingNetworkRetry { .. }
        | Phase::AwaitingSessionClosure { .. }
        | Phase::Completed { .. }
        | Phase::WaitingTask => Vec::new(),
    }
}

fn start_effects(round: &Round, effect: impl Fn(&Round) -> Effect) -> Vec<Effect> {
    round.started_at.map(|_| effect(round)).into_iter().collect()
}

fn call_effect(call: &Call) -> Option<Effect> {
    // The child session has effects of its own.
    if call.is_answered_by_agent() {
        return None;
    }
    match &call.state {
        CallState::Started { step: CallStep::Run, .. } => {
            Some(Effect::RunCall { call: call.id.clone(), attempt: call.attempt })
        }
        CallState::Started { step: CallStep::Ask, .. } => {
            Some(Effect::AskCall { call: call.id.clone(), attempt: call.attempt })
        }
        CallState::Proposed
        | CallState::Follows(_)
        | CallState::WaitingDecision
        | CallState::Approved(_)
        | CallState::Delayed { .. }
        | CallState::Finished { .. } => None,
    }
}

fn policy_effect(call: &Call, may_work: bool) -> Option<Effect> {
    (may_work && call.awaits_policy())
        .then(|| Effect::AskPolicy { call: call.id.clone(), command_id: call.effective_command_id().clone() })
}

fn plan_effect(batch: &CallBatch, call: &Call, may_work: bool, now: Timestamp) -> Option<Effect> {
    (may_work && may_plan(batch, call, ClockSetbackPolicy::EndsNothing, now))
        .then(|| Effect::PlanCall { call: call.id.clone() })
}
