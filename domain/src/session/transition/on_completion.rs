//! `CompletionRejected`: a person says what is missing where a run says that its work is done.

use crate::message::SystemKind;
use crate::session::round::{self, RoundReason};
use crate::session::{Phase, TransitionContext};
use crate::speech::sentences;

pub(super) fn rejected(step: &mut TransitionContext<'_>, author: &str, reason: Option<String>) -> Phase {
    step.human_act();
    let said = match reason {
        Some(reason) => {
            step.facts.asked_by.join_known(author);
            step.facts.hear([Some(author)]);
            sentences::completion_rejected_because(&reason)
        }
        None => sentences::completion_rejected(),
    };
    step.say(SystemKind::Continuation, said);
    round::begin(step, RoundReason::Continuation)
}
