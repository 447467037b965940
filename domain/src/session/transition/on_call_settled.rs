//! `CallSettled`: a person said what became of an action of unknown outcome. The model is told; the result that
//! the call got stays as it was.

use crate::id::CallId;
use crate::message::SystemKind;
use crate::session::{Phase, Step};
use crate::speech::{Speech, sentences};

pub(super) fn on(step: &mut Step<'_>, phase: Phase, call: &CallId, text: Speech) -> Phase {
    step.facts.unsettled.retain(|open| open != call);
    step.say(SystemKind::ActionsExecuted, text);
    phase
}

pub(super) fn text(command: &str, happened: bool, note: Option<&str>, author: &str) -> Speech {
    match (happened, note) {
        (true, None) => sentences::settled_happened(author, command),
        (true, Some(note)) => sentences::settled_happened_with_note(author, command, note),
        (false, None) => sentences::settled_absent(author, command),
        (false, Some(note)) => sentences::settled_absent_with_note(author, command, note),
    }
}
