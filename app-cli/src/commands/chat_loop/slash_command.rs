//! Lines that are for Entracte and not for the model: `/help` and the others.

use entracte_application::texts::{LocalizedTexts, say};
use entracte_application::use_cases::SessionView;

/// What a line asks of Entracte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SlashCommand<'a> {
    /// What can be asked.
    Help,
    /// What waits for this person.
    Inbox,
    /// The plan that the model told last.
    Plan,
    /// Which model speaks.
    Model,
    /// Leave.
    Quit,
    /// Refer to something in the next message.
    Enrich(&'a str),
    /// There is no such thing.
    Unknown(&'a str),
}

/// What a line asks of Entracte; none where it is a message. A path is a message, and so is a line that begins with a
/// space.
pub(super) fn slash(line: &str) -> Option<SlashCommand<'_>> {
    let rest = line.strip_prefix('/')?;
    let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
    let (word, more) = rest.split_at(end);
    if word.is_empty() || !word.chars().all(|character| character.is_alphabetic() || character == '-') {
        return None;
    }
    Some(match word {
        "help" | "aide" => SlashCommand::Help,
        "inbox" => SlashCommand::Inbox,
        "plan" => SlashCommand::Plan,
        "model" => SlashCommand::Model,
        "quit" | "exit" => SlashCommand::Quit,
        "enrich" => SlashCommand::Enrich(more.trim()),
        unknown => SlashCommand::Unknown(unknown),
    })
}

/// Which model speaks, and how to change it.
pub(super) fn model(view: &SessionView, texts: &LocalizedTexts) -> String {
    let facts = &view.facts;
    say!(
        texts,
        "talk-model",
        provider = &facts.provider,
        model = &facts.model,
        dialect = facts.dialect.word(),
        session = facts.id.as_str()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_begins_with_a_slash_is_for_us_unless_it_is_a_path() {
        for (line, expected) in [
            ("/help", Some(SlashCommand::Help)),
            ("/quit now", Some(SlashCommand::Quit)),
            ("/enrich {\"a\": 1}", Some(SlashCommand::Enrich("{\"a\": 1}"))),
            ("/what is this", Some(SlashCommand::Unknown("what"))),
            ("/etc/hosts is wrong", None),
            (" /help", None),
            ("/", None),
            ("/ 2", None),
            ("1/2", None),
        ] {
            assert_eq!(slash(line), expected, "{line}");
        }
    }
}
