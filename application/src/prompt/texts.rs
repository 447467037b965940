//! The markers and short texts of the conversation in a language. The texts themselves are in the catalogue
//! (`prompt.ftl`).

pub(crate) mod level1;

use crate::settings::Language;
use crate::texts::{LocalizedTexts, say};

/// Name of the markers around Entracte's own texts.
pub const MARK: &str = "entracte";

/// A person's text next to tool results: inside a marker of Entracte, which no tool can forge. The text is
/// escaped like all turn parts, so it cannot close the marker.
pub fn words_of_a_person(text: &str) -> String {
    format!("<{MARK} type=\"{USER_MESSAGE}\">\n{text}\n</{MARK}>")
}

const USER_MESSAGE: &str = "USER_MESSAGE";

/// Texts without values, each with its catalogue key.
macro_rules! texts {
    ($($(#[$doc:meta])* $name:ident: $key:literal,)*) => {$(
        $(#[$doc])*
        pub fn $name(language: Language) -> String {
            say!(LocalizedTexts::for_language(language), $key)
        }
    )*};
}

texts! {
    /// Sent when a session continues without new input.
    go_on: "prompt-go-on",
    /// Sent before the last answer at a limit.
    closing_round: "prompt-closing-round",
    /// Sent when the model must answer without commands.
    words_round: "prompt-words-round",
    /// Replaces an empty reply.
    empty_reply: "prompt-empty-reply",
    /// The result of a native call that never got one.
    call_interrupted: "prompt-call-interrupted",
    /// The result of a native call in an unreadable reply.
    call_unreadable: "prompt-call-unreadable",
    /// The result of a native question without an answer.
    question_unanswered: "prompt-tool-unanswered",
    /// Precedes the text of an event.
    untrusted: "prompt-untrusted",
    /// The model's role while it summarizes a conversation.
    compaction_role: "prompt-compaction-role",
}

/// The end of a truncated result: `[1200 characters left out …]`.
pub fn truncation_notice(language: Language, count: usize) -> String {
    say!(LocalizedTexts::for_language(language), "prompt-left-out", count = count)
}

/// The end of a truncated result that can be read on: names the command in the model's naming, and its arguments.
pub fn truncation_notice_with_command(
    language: Language,
    count: usize,
    command: &str,
    arguments: &str,
) -> String {
    let texts = LocalizedTexts::for_language(language);
    say!(texts, "prompt-left-out-read-on", count = count, command = command, arguments = arguments)
}

/// States why a run started, and when it was due, if it was.
pub fn run_started(language: Language, trigger: &str, due: Option<&str>) -> String {
    let texts = LocalizedTexts::for_language(language);
    match due {
        Some(due) => say!(texts, "prompt-run-started-due", trigger = trigger, due = due),
        None => say!(texts, "prompt-run-started", trigger = trigger),
    }
}
