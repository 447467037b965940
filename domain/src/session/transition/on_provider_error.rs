//! `NetworkErrorOccurred` and `ProviderErrorOccurred`: a model call failed. What follows is decided by the class
//! that the adapter gave it.

use crate::message::SystemKind;
use crate::session::failure::{FailureClass, ModelFailure};
use crate::session::round::Round;
use crate::session::{NetworkPolicy, Note, Phase, Slot, Step};
use crate::speech::{Speech, sentences};
use crate::time::{Deadline, Millis};
use crate::usage::Usage;

use super::failed_round::{give_up, park};

pub(super) fn on(step: &mut Step<'_>, phase: Phase, failure: ModelFailure, usage: Option<Usage>) -> Phase {
    match phase {
        Phase::CallingAi(round) => {
            if let Some(usage) = usage {
                step.facts.usage.add(usage);
            }
            decide(step, round, failure)
        }
        // The fence lets failures of the open attempt through only.
        Phase::Idle
        | Phase::ExecutingEnrichments(_)
        | Phase::WaitingValidation { .. }
        | Phase::WaitingCommunicationResponse { .. }
        | Phase::ExecutingDataQueries(_)
        | Phase::ExecutingActions(_)
        | Phase::WaitingCompletionConfirmation { .. }
        | Phase::WaitingNetworkRetry { .. }
        | Phase::AwaitingSessionClosure { .. }
        | Phase::Completed { .. }
        | Phase::WaitingTask
        | Phase::CompactingContext { .. } => phase,
    }
}

fn decide(step: &mut Step<'_>, mut round: Round, failure: ModelFailure) -> Phase {
    match failure.class {
        FailureClass::Unreachable => unreachable(step, round, failure),
        FailureClass::Throttled | FailureClass::Overloaded => throttled(step, round, failure),
        FailureClass::Lost => {
            step.facts.usage.add_unknown_attempt();
            if std::mem::replace(&mut round.lost, true) {
                let text = Speech::from(failure.message).then(" ").then(sentences::answer_lost_twice());
                give_up(step, &round, SystemKind::ProviderError, text)
            } else {
                Phase::CallingAi(round.again())
            }
        }
        FailureClass::Exhausted => park(step, &round, failure.message),
        FailureClass::Refused | FailureClass::Misconfigured => {
            give_up(step, &round, SystemKind::ProviderError, failure.message)
        }
        FailureClass::ContextTooLong => {
            if std::mem::replace(&mut round.compacted, true) {
                give_up(step, &round, SystemKind::ProviderError, failure.message)
            } else {
                Phase::CompactingContext { round: round.again() }
            }
        }
        FailureClass::Repairable => {
            if std::mem::replace(&mut round.repaired, true) {
                give_up(step, &round, SystemKind::ProviderError, failure.message)
            } else {
                step.new_generation();
                Phase::CallingAi(round.again())
            }
        }
    }
}

fn unreachable(step: &mut Step<'_>, mut round: Round, failure: ModelFailure) -> Phase {
    if step.facts.kind.is_run() {
        match backoff(step.rules.network, round.waits) {
            Backoff::Usual => wait(step, round, step.rules.network_retry, failure.jitter),
            Backoff::Exactly(span) => wait(step, round, span, Millis(0)),
            Backoff::Requeue => {
                step.say(SystemKind::NetworkError, failure.message);
                step.facts.slot = Slot::Queued(step.now);
                round.waits = 0;
                Phase::CallingAi(round.again())
            }
        }
    } else {
        give_up(step, &round, SystemKind::NetworkError, failure.message)
    }
}

enum Backoff {
    Usual,
    Exactly(Millis),
    Requeue,
}

fn backoff(policy: NetworkPolicy, waits: u32) -> Backoff {
    match (policy, waits) {
        (NetworkPolicy::Forever, _) => Backoff::Usual,
        (NetworkPolicy::Backoff, 0) => Backoff::Exactly(Millis::seconds(5)),
        (NetworkPolicy::Backoff, 1) => Backoff::Exactly(Millis::seconds(15)),
        (NetworkPolicy::Backoff, 2) => Backoff::Exactly(Millis::seconds(30)),
        (NetworkPolicy::Backoff, _) => Backoff::Requeue,
    }
}

fn throttled(step: &mut Step<'_>, round: Round, failure: ModelFailure) -> Phase {
    if step.facts.kind.is_run() {
        let span = failure.retry_after.unwrap_or(step.rules.network_retry);
        wait(step, round, span, failure.jitter)
    } else {
        let doubled = Millis::seconds(1 << round.waits.min(5));
        let span = failure.retry_after.unwrap_or(doubled);
        if span <= step.rules.chat_wait && round.waits < step.rules.chat_waits {
            wait(step, round, span, Millis(0))
        } else {
            give_up(step, &round, SystemKind::ProviderError, failure.message)
        }
    }
}

fn wait(step: &mut Step<'_>, mut round: Round, span: Millis, jitter: Millis) -> Phase {
    round.waits = round.waits.saturating_add(1);
    let retry = Deadline::after(step.now, Millis(span.0.saturating_add(jitter.0)));
    step.record.note(Note::NetworkRetryScheduled { at: retry.due_at });
    Phase::WaitingNetworkRetry { round, retry }
}
