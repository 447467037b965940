//! `CallSettled`: a person declares the outcome of an action with unknown outcome. The model is informed; the result of
//! the call is not changed.

use crate::id::CallId;
use crate::localizable_text::{LocalizableText, sentences};
use crate::message::SystemKind;
use crate::session::{Phase, TransitionContext};

/// A person's finding about a call.
pub(super) struct CallSettlement<'a> {
    /// Name of the command.
    pub(super) command: &'a str,
    /// Whether the effect happened.
    pub(super) happened: bool,
    /// The person's note, if any.
    pub(super) note: Option<&'a str>,
    /// The person.
    pub(super) author: &'a str,
}

pub(super) fn on(
    step: &mut TransitionContext<'_>,
    phase: Phase,
    call: &CallId,
    settlement: &CallSettlement<'_>,
) -> Phase {
    if settlement.note.is_some() {
        step.facts.record_prompt_authors([Some(settlement.author)]);
    }
    step.facts.unsettled.retain(|open| open != call);
    step.append_system_text(SystemKind::ActionsExecuted, text(settlement));
    phase
}

fn text(settlement: &CallSettlement<'_>) -> LocalizableText {
    let CallSettlement { command, happened, note, author } = *settlement;
    match (happened, note) {
        (true, None) => sentences::settled_happened(author, command),
        (true, Some(note)) => sentences::settled_happened_with_note(author, command, note),
        (false, None) => sentences::settled_absent(author, command),
        (false, Some(note)) => sentences::settled_absent_with_note(author, command, note),
    }
}
