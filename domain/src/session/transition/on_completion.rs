//! `CompletionRejected`: a person names missing work after a run declared its work done.

use crate::localizable_text::sentences;
use crate::message::SystemKind;
use crate::session::round::{self, RoundReason};
use crate::session::{Phase, TransitionContext};

pub(super) fn rejected(step: &mut TransitionContext<'_>, author: &str, reason: Option<String>) -> Phase {
    step.begin_human_exchange();
    let said = match reason {
        Some(reason) => {
            step.facts.asked_by.add_person_if_known(author);
            step.facts.record_prompt_authors([Some(author)]);
            sentences::completion_rejected_because(&reason)
        }
        None => sentences::completion_rejected(),
    };
    step.append_system_text(SystemKind::Continuation, said);
    round::begin_round(step, RoundReason::Continuation)
}
