//! `SessionActivationRequested`: a person wants the session to go on from where it rests.

use crate::session::round::{self, Round, RoundReason};
use crate::session::{Phase, TransitionContext};

pub(super) fn activate_resting(step: &mut TransitionContext<'_>, author: &str) -> Phase {
    record_activation_author(step, author);
    let is_run = step.facts.kind.is_run();
    round::begin_round(step, if is_run { RoundReason::Resume } else { RoundReason::ManualTrigger })
}

/// Without waiting any longer for the network or the provider.
pub(super) fn retry_now(step: &mut TransitionContext<'_>, round: Round, author: &str) -> Phase {
    record_activation_author(step, author);
    Phase::CallingAi(round.next_attempt())
}

/// A run goes on for its owner, whoever lets it. In a chat, whoever says “go on” asks for what follows too.
fn record_activation_author(step: &mut TransitionContext<'_>, author: &str) {
    step.begin_human_exchange();
    if !step.facts.kind.is_run() {
        step.facts.asked_by.add_person_if_known(author);
    }
}
