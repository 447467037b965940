//! `CommunicationResponseReceived`: a person answered the question. The answer itself is the input's message.

use crate::session::round::{self, RoundReason};
use crate::session::{Phase, TransitionContext};

pub(super) fn on(step: &mut TransitionContext<'_>, author: &str) -> Phase {
    step.human_act();
    step.facts.asked_by.join_known(author);
    step.facts.hear([Some(author)]);
    round::begin(step, RoundReason::Answer)
}
