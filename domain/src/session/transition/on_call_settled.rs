//! `CallSettled`: a person declares the outcome of an action with unknown outcome. The model is informed; the result of
//! the call is not changed.

use crate::id::CallId;
use crate::localizable_text::{LocalizableText, sentences};
use crate::message::SystemKind;
use crate::session::{Phase, TransitionContext};

pub(super) fn on(
    step: &mut TransitionContext<'_>,
    phase: Phase,
    call: &CallId,
    text: LocalizableText,
) -> Phase {
    step.facts.unsettled.retain(|open| open != call);
    step.append_system_text(SystemKind::ActionsExecuted, text);
    phase
}

pub(super) fn text(command: &str, happened: bool, note: Option<&str>, author: &str) -> LocalizableText {
    match (happened, note) {
        (true, None) => sentences::settled_happened(author, command),
        (true, Some(note)) => sentences::settled_happened_with_note(author, command, note),
        (false, None) => sentences::settled_absent(author, command),
        (false, Some(note)) => sentences::settled_absent_with_note(author, command, note),
    }
}
