//! `CallSettled`: a person said what became of an action of unknown outcome. The model is told; the result that
//! the call got stays as it was.

use crate::id::CallId;
use crate::message::SystemKind;
use crate::session::{Phase, Step};

pub(super) fn on(step: &mut Step<'_>, phase: Phase, call: &CallId, text: &str) -> Phase {
    step.facts.unsettled.retain(|open| open != call);
    step.say(SystemKind::ActionsExecuted, text);
    phase
}

pub(super) fn text(command: &str, happened: bool, note: Option<String>, author: &str) -> String {
    let outcome = if happened { "happened" } else { "did not happen" };
    let note = note.map(|note| format!(" ({note})")).unwrap_or_default();
    format!("{author} says of {command}, whose outcome was unknown: it {outcome}{note}.")
}
