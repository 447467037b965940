//! `NetworkErrorOccurred` and `ProviderErrorOccurred`: a model call failed. The failure class from the adapter and the
//! available fallback decide the next step. `NetworkAvailable` ends a wait for the network.

use crate::agent::AgentEndClass;
use crate::localizable_text::{LocalizableText, sentences};
use crate::message::SystemKind;
use crate::session::failure::{FailureClass, FallbackModel, ModelFailure};
use crate::session::fallback::{is_short_wait, should_fall_back, throttle_wait};
use crate::session::round::Round;
use crate::session::{
    JournalNote, NetworkPolicy, Phase, Slot, SummaryMethod, SummaryProgress, TransitionContext,
};
use crate::time::{Deadline, Millis};
use crate::usage::Usage;

use super::failed_round::{give_up_round, park_run, quarantine_round};

pub(super) fn on(
    step: &mut TransitionContext<'_>,
    phase: Phase,
    failure: ModelFailure,
    usage: Option<Usage>,
) -> Phase {
    let Phase::CallingAi(round) = phase else { return step.keep_unexpected(phase) };
    if let Some(usage) = usage {
        step.facts.usage.add(usage);
    }
    decide_failure(step, round, failure)
}

/// `NetworkAvailable`: retries now instead of waiting for the network.
pub(super) fn retry_now(step: &mut TransitionContext<'_>, phase: Phase) -> Phase {
    let Phase::WaitingNetworkRetry { round, .. } = phase else { return step.keep_unexpected(phase) };
    Phase::CallingAi(round.next_attempt())
}

fn decide_failure(step: &mut TransitionContext<'_>, mut round: Round, mut failure: ModelFailure) -> Phase {
    if let Some(instead) =
        failure.instead.take().filter(|instead| can_use_fallback(step, &round, &failure, instead))
    {
        return continue_with_fallback(step, round, failure, *instead);
    }
    match failure.class {
        FailureClass::Unreachable => handle_unreachable_provider(step, round, failure),
        FailureClass::Throttled | FailureClass::Overloaded => throttled(step, round, failure),
        FailureClass::Lost => {
            step.facts.usage.add_unknown_attempt();
            if let Some(start) = failure.found_by_start.filter(|start| step.is_own_crash(*start)) {
                return match step.note_crash(start) {
                    true => quarantine_round(step, &round, failure.message),
                    false => Phase::CallingAi(round.next_attempt()),
                };
            }
            if std::mem::replace(&mut round.lost, true) {
                let text = LocalizableText::from(failure.message)
                    .with_appended(" ")
                    .with_appended(sentences::answer_lost_twice());
                give_up_round(step, &round, AgentEndClass::Lost, text)
            } else {
                Phase::CallingAi(round.next_attempt())
            }
        }
        FailureClass::Exhausted => park_run(step, &round, failure.message),
        FailureClass::Refused | FailureClass::Misconfigured => {
            give_up_round(step, &round, failure.class.into(), failure.message)
        }
        FailureClass::ContextTooLong => {
            if std::mem::replace(&mut round.compacted, true) {
                give_up_round(step, &round, failure.class.into(), failure.message)
            } else {
                // A longer request of the same kind would be refused as well, so the summary reads the conversation as
                // plain text.
                let summing = SummaryProgress::new(SummaryMethod::Words, None);
                Phase::CompactingContext { round: round.next_attempt(), summing }
            }
        }
        FailureClass::Repairable => {
            if std::mem::replace(&mut round.repaired, true) {
                give_up_round(step, &round, failure.class.into(), failure.message)
            } else {
                step.begin_prefix_generation();
                Phase::CallingAi(round.next_attempt())
            }
        }
    }
}

/// Whether a fallback provider can continue: each is called once per round.
fn can_use_fallback(
    step: &TransitionContext<'_>,
    round: &Round,
    failure: &ModelFailure,
    instead: &FallbackModel,
) -> bool {
    let asked = &instead.voice.provider;
    let is_new = *asked != step.facts.provider && !round.has_left(asked);
    is_new && should_fall_back(step.facts, round, failure, step.rules)
}

/// Continues the round with another provider, in a new generation; the session stays with that provider. People read
/// which provider failed and why, the model does not.
fn continue_with_fallback(
    step: &mut TransitionContext<'_>,
    round: Round,
    failure: ModelFailure,
    instead: FallbackModel,
) -> Phase {
    let FallbackModel { voice, prefix, told } = instead;
    let class = failure.class;
    let kind = match class {
        FailureClass::Unreachable => SystemKind::NetworkError,
        FailureClass::Lost => {
            step.facts.usage.add_unknown_attempt();
            SystemKind::ProviderError
        }
        FailureClass::Throttled
        | FailureClass::Overloaded
        | FailureClass::Exhausted
        | FailureClass::Refused
        | FailureClass::ContextTooLong
        | FailureClass::Repairable
        | FailureClass::Misconfigured => SystemKind::ProviderError,
    };
    let from = std::mem::replace(&mut step.facts.provider, voice.provider);
    step.facts.model = voice.model;
    step.facts.dialect = voice.dialect;
    step.facts.prefix = Some(prefix);
    step.facts.told = told;
    let to = step.facts.provider.clone();
    step.append_system_text(
        kind,
        fell_back(class, &from, &to).with_appended(" ").with_appended(failure.message),
    );
    step.record.add_note(JournalNote::FellBack { from: from.clone(), to, class });
    step.begin_prefix_generation();
    Phase::CallingAi(round.next_attempt_without(from, class))
}

fn fell_back(class: FailureClass, from: &str, to: &str) -> LocalizableText {
    match class {
        FailureClass::Unreachable => sentences::fell_back_unreachable(from, to),
        FailureClass::Lost => sentences::fell_back_lost(from, to),
        FailureClass::Throttled => sentences::fell_back_throttled(from, to),
        FailureClass::Overloaded => sentences::fell_back_overloaded(from, to),
        FailureClass::Exhausted => sentences::fell_back_exhausted(from, to),
        FailureClass::Refused => sentences::fell_back_refused(from, to),
        FailureClass::ContextTooLong => sentences::fell_back_too_long(from, to),
        FailureClass::Repairable | FailureClass::Misconfigured => {
            sentences::fell_back_misconfigured(from, to)
        }
    }
}

fn handle_unreachable_provider(
    step: &mut TransitionContext<'_>,
    mut round: Round,
    failure: ModelFailure,
) -> Phase {
    if step.facts.kind.is_run() {
        match backoff(step.rules.network, round.waits) {
            NetworkBackoff::Usual => wait(step, round, step.rules.network_retry, failure.jitter),
            NetworkBackoff::Exactly(span) => wait(step, round, span, Millis(0)),
            NetworkBackoff::Requeue => {
                step.append_system_text(SystemKind::NetworkError, failure.message);
                step.facts.slot = Slot::Queued(step.now);
                round.waits = 0;
                Phase::CallingAi(round.next_attempt())
            }
        }
    } else {
        give_up_round(step, &round, AgentEndClass::Unreachable, failure.message)
    }
}

enum NetworkBackoff {
    Usual,
    Exactly(Millis),
    Requeue,
}

fn backoff(policy: NetworkPolicy, waits: u32) -> NetworkBackoff {
    match (policy, waits) {
        (NetworkPolicy::Forever, _) => NetworkBackoff::Usual,
        (NetworkPolicy::Backoff, 0) => NetworkBackoff::Exactly(Millis::seconds(5)),
        (NetworkPolicy::Backoff, 1) => NetworkBackoff::Exactly(Millis::seconds(15)),
        (NetworkPolicy::Backoff, 2) => NetworkBackoff::Exactly(Millis::seconds(30)),
        (NetworkPolicy::Backoff, _) => NetworkBackoff::Requeue,
    }
}

fn throttled(step: &mut TransitionContext<'_>, round: Round, failure: ModelFailure) -> Phase {
    let span = throttle_wait(step.facts, &round, &failure, step.rules);
    if step.facts.kind.is_run() {
        wait(step, round, span, failure.jitter)
    } else if is_short_wait(&round, span, step.rules) {
        wait(step, round, span, Millis(0))
    } else {
        give_up_round(step, &round, failure.class.into(), failure.message)
    }
}

fn wait(step: &mut TransitionContext<'_>, mut round: Round, span: Millis, jitter: Millis) -> Phase {
    round.waits = round.waits.saturating_add(1);
    let retry = Deadline::after(step.now, Millis(span.0.saturating_add(jitter.0)));
    step.record.add_note(JournalNote::NetworkRetryScheduled { at: retry.due_at });
    Phase::WaitingNetworkRetry { round, retry }
}
