//! `SessionActivationRequested`: a person asks the session to continue from where it rests.

use crate::session::round::{self, RoundReason};
use crate::session::{Phase, TransitionContext};

pub(super) fn on(step: &mut TransitionContext<'_>, phase: Phase, author: &str) -> Phase {
    record_activation_author(step, author);
    // Retries now instead of waiting for the network or the provider.
    if let Phase::WaitingNetworkRetry { round, .. } = phase {
        return Phase::CallingAi(round.next_attempt());
    }
    let is_run = step.facts.kind.is_run();
    round::begin_round(step, if is_run { RoundReason::Resume } else { RoundReason::ManualTrigger })
}

/// Records the author of the activation. A run continues for its owner, even if another person resumes it; in a chat
/// the author counts as asking for the following work.
fn record_activation_author(step: &mut TransitionContext<'_>, author: &str) {
    step.begin_human_exchange();
    if !step.facts.kind.is_run() {
        step.facts.asked_by.add_person_if_known(author);
    }
}
