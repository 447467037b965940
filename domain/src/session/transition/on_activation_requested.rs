//! `SessionActivationRequested`: a person wants the session to go on from where it rests.

use crate::session::round::{self, Round, RoundReason};
use crate::session::{Phase, TransitionContext};

pub(super) fn at_rest(step: &mut TransitionContext<'_>, author: &str) -> Phase {
    asked(step, author);
    let is_run = step.facts.kind.is_run();
    round::begin(step, if is_run { RoundReason::Resume } else { RoundReason::ManualTrigger })
}

/// Without waiting any longer for the network or the provider.
pub(super) fn in_retry(step: &mut TransitionContext<'_>, round: Round, author: &str) -> Phase {
    asked(step, author);
    Phase::CallingAi(round.again())
}

/// A run goes on for its owner, whoever lets it. In a chat, whoever says “go on” asks for what follows too.
fn asked(step: &mut TransitionContext<'_>, author: &str) {
    step.human_act();
    if !step.facts.kind.is_run() {
        step.facts.asked_by.join_known(author);
    }
}
