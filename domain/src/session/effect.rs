//! What a state wants done. Derived, never stored: the runtime starts what is desired and does not run, and
//! drops what runs and is no longer desired. That one rule is stop, interrupt, suspension and pre-emption.

use crate::call::{Call, CallState, CallStep};
use crate::id::CallId;
use crate::session::start_gate::may_plan;
use crate::session::{CallBatch, ClockSetbackPolicy, Phase, Round, SessionFacts, SummaryProgress, may_work};
use crate::time::Timestamp;

/// Work that a state wants done. Its outcome comes back with the same numbers, so a late one is known as such.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Effect {
    /// Call the model.
    CallModel {
        /// The round.
        round: u32,
        /// The attempt.
        attempt: u32,
        /// No commands may be asked for.
        closing: bool,
        /// Words alone are asked for.
        words_only: bool,
    },
    /// Run a call that the ledger shows as started.
    RunCall {
        /// The call.
        call: CallId,
        /// Its attempt.
        attempt: u32,
    },
    /// Ask whether a call happened.
    AskCall {
        /// The call.
        call: CallId,
        /// Its attempt.
        attempt: u32,
    },
    /// Plan a local action and take its outcome in, inside `handle`.
    PlanCall {
        /// The call.
        call: CallId,
    },
    /// Sum the context up.
    Compact {
        /// The round that waits for it.
        round: u32,
        /// Its attempt.
        attempt: u32,
        /// How.
        summing: SummaryProgress,
    },
}

/// What this state wants done now.
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
            let may_plan_here = may_work(facts);
            batch
                .calls
                .iter()
                .filter_map(|call| call_effect(call).or_else(|| plan_effect(batch, call, may_plan_here, now)))
                .collect()
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
    // What an agent does is what its own session wants.
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

fn plan_effect(batch: &CallBatch, call: &Call, may_work: bool, now: Timestamp) -> Option<Effect> {
    (may_work && may_plan(batch, call, ClockSetbackPolicy::EndsNothing, now))
        .then(|| Effect::PlanCall { call: call.id.clone() })
}
