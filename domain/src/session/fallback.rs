//! When a round continues with another provider.

use crate::session::failure::{FailureClass, ModelFailure};
use crate::session::{Round, SessionFacts, SessionRules};
use crate::time::Millis;

/// Whether the failed provider needs a person, a long wait or a shorter conversation, so that the round continues with
/// the fallback for that class, if any. A short wait, and the second attempt after a lost answer, come first; a crash
/// of our own process does not count against a provider.
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

/// How long to wait for a throttled provider.
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

/// Whether the wait is short enough for a person who watches the chat.
pub(crate) fn is_short_wait(round: &Round, span: Millis, rules: &SessionRules) -> bool {
    span <= rules.chat_wait && round.waits < rules.chat_waits
}
