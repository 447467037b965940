//! `CommunicationResponseReceived`: a person answered the question. The input itself is the message with the answer.

use crate::session::round::{self, RoundReason};
use crate::session::{Phase, TransitionContext};

pub(super) fn on(step: &mut TransitionContext<'_>, author: &str) -> Phase {
    step.begin_human_exchange();
    step.facts.asked_by.add_person_if_known(author);
    step.facts.record_prompt_authors([Some(author)]);
    round::begin_round(step, RoundReason::Answer)
}
