//! When a round goes on with another provider.

use crate::session::failure::{FailureClass, ModelFailure};
use crate::session::{Round, SessionFacts, SessionRules};
use crate::time::Millis;

/// Whether nothing is left to try with the provider that failed, but what takes a person, a long wait or a shorter
/// conversation: then another one goes on in this round, where one is named for the class. A short wait and the new
/// attempt after a lost answer come first, and the death of our own process says nothing of a provider.
pub fn should_fall_back(
    facts: &SessionFacts,
    round: &Round,
    failure: &ModelFailure,
    rules: &SessionRules,
) -> bool {
    match failure.class {
        FailureClass::Unreachable
        | FailureClass::Exhausted
        | FailureClass::Refused
        | FailureClass::ContextTooLong
        | FailureClass::Misconfigured => true,
        FailureClass::Throttled | FailureClass::Overloaded => {
            !is_short_wait(round, throttle_wait(facts, round, failure, rules), rules)
        }
        FailureClass::Lost => round.lost && failure.found_by_start.is_none(),
        FailureClass::Repairable => false,
    }
}

/// How long a throttled provider is waited for.
pub(crate) fn throttle_wait(
    facts: &SessionFacts,
    round: &Round,
    failure: &ModelFailure,
    rules: &SessionRules,
) -> Millis {
    let unless_said = match facts.kind.is_run() {
        true => rules.network_retry,
        false => Millis::seconds(1 << round.waits.min(5)),
    };
    failure.retry_after.unwrap_or(unless_said)
}

/// Whether a person who looks on waits so long.
pub(crate) fn is_short_wait(round: &Round, span: Millis, rules: &SessionRules) -> bool {
    span <= rules.chat_wait && round.waits < rules.chat_waits
}
