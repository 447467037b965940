//! The marks and short texts of the conversation, in the words of a language. The words themselves stand in the
//! catalogue (`prompt.ftl`).

pub(crate) mod level1;

use crate::settings::Language;
use crate::texts::{Texts, say};

/// The name of the marks that Entracte's own words stand in.
pub const MARK: &str = "entracte";

/// What a person said, where it stands beside what a tool returned: in a mark of Entracte's, which no tool can forge.
/// The text is as the parts of a turn hold it, so it cannot close the mark.
pub fn words_of_a_person(text: &str) -> String {
    format!("<{MARK} type=\"{USER_MESSAGE}\">\n{text}\n</{MARK}>")
}

const USER_MESSAGE: &str = "USER_MESSAGE";

/// Said when a session goes on and nothing new was said.
pub fn go_on(language: Language) -> String {
    say!(Texts::of(language), "prompt-go-on")
}

/// Said before the last answer at a limit.
pub fn closing_round(language: Language) -> String {
    say!(Texts::of(language), "prompt-closing-round")
}

/// Said where the model is to answer in words alone.
pub fn words_round(language: Language) -> String {
    say!(Texts::of(language), "prompt-words-round")
}

/// Takes the place of a reply that said nothing.
pub fn empty_reply(language: Language) -> String {
    say!(Texts::of(language), "prompt-empty-reply")
}

/// The result of a native call that never got one.
pub fn call_interrupted(language: Language) -> String {
    say!(Texts::of(language), "prompt-call-interrupted")
}

/// The result of a native call of a reply that could not be read.
pub fn call_unreadable(language: Language) -> String {
    say!(Texts::of(language), "prompt-call-unreadable")
}

/// The result of a native question that nobody answered.
pub fn question_unanswered(language: Language) -> String {
    say!(Texts::of(language), "prompt-tool-unanswered")
}

/// Ends a result that was cut: `[1200 characters left out …]`.
pub fn left_out(language: Language, count: usize) -> String {
    say!(Texts::of(language), "prompt-left-out", count = count)
}

/// Ends a result that was cut and can be read on: names the command, as the model calls it, and its arguments.
pub fn left_out_read_on(language: Language, count: usize, command: &str, arguments: &str) -> String {
    let texts = Texts::of(language);
    say!(texts, "prompt-left-out-read-on", count = count, command = command, arguments = arguments)
}

/// Stands before what an event brought.
pub fn untrusted(language: Language) -> String {
    say!(Texts::of(language), "prompt-untrusted")
}

/// Says why a run was started, and for when it was due if it was.
pub fn run_started(language: Language, trigger: &str, due: Option<&str>) -> String {
    let texts = Texts::of(language);
    match due {
        Some(due) => say!(texts, "prompt-run-started-due", trigger = trigger, due = due),
        None => say!(texts, "prompt-run-started", trigger = trigger),
    }
}

/// Who the model is while it sums a conversation up.
pub fn compaction_role(language: Language) -> String {
    say!(Texts::of(language), "prompt-compaction-role")
}
