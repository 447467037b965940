//! The marks and short texts of the conversation, in the words of a language. The words themselves stand in the
//! catalogue (`prompt.ftl`).

pub(crate) mod level1;

use crate::settings::Language;
use crate::texts::{LocalizedTexts, say};

/// The name of the marks that Entracte's own words stand in.
pub const MARK: &str = "entracte";

/// What a person said, where it stands beside what a tool returned: in a mark of Entracte's, which no tool can forge.
/// The text is as the parts of a turn hold it, so it cannot close the mark.
pub fn words_of_a_person(text: &str) -> String {
    format!("<{MARK} type=\"{USER_MESSAGE}\">\n{text}\n</{MARK}>")
}

const USER_MESSAGE: &str = "USER_MESSAGE";

/// Texts without values, each with the key of its words.
macro_rules! texts {
    ($($(#[$doc:meta])* $name:ident: $key:literal,)*) => {$(
        $(#[$doc])*
        pub fn $name(language: Language) -> String {
            say!(LocalizedTexts::for_language(language), $key)
        }
    )*};
}

texts! {
    /// Said when a session goes on and nothing new was said.
    go_on: "prompt-go-on",
    /// Said before the last answer at a limit.
    closing_round: "prompt-closing-round",
    /// Said where the model is to answer in words alone.
    words_round: "prompt-words-round",
    /// Takes the place of a reply that said nothing.
    empty_reply: "prompt-empty-reply",
    /// The result of a native call that never got one.
    call_interrupted: "prompt-call-interrupted",
    /// The result of a native call of a reply that could not be read.
    call_unreadable: "prompt-call-unreadable",
    /// The result of a native question that nobody answered.
    question_unanswered: "prompt-tool-unanswered",
    /// Stands before what an event brought.
    untrusted: "prompt-untrusted",
    /// Who the model is while it sums a conversation up.
    compaction_role: "prompt-compaction-role",
}

/// Ends a result that was cut: `[1200 characters left out …]`.
pub fn truncation_notice(language: Language, count: usize) -> String {
    say!(LocalizedTexts::for_language(language), "prompt-left-out", count = count)
}

/// Ends a result that was cut and can be read on: names the command, as the model calls it, and its arguments.
pub fn truncation_notice_with_command(
    language: Language,
    count: usize,
    command: &str,
    arguments: &str,
) -> String {
    let texts = LocalizedTexts::for_language(language);
    say!(texts, "prompt-left-out-read-on", count = count, command = command, arguments = arguments)
}

/// Says why a run was started, and for when it was due if it was.
pub fn run_started(language: Language, trigger: &str, due: Option<&str>) -> String {
    let texts = LocalizedTexts::for_language(language);
    match due {
        Some(due) => say!(texts, "prompt-run-started-due", trigger = trigger, due = due),
        None => say!(texts, "prompt-run-started", trigger = trigger),
    }
}
