//! Lines for Entracte instead of the model: `/help` and others.

use entracte_application::texts::{LocalizedTexts, say};
use entracte_application::use_cases::SessionView;

/// A slash command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SlashCommand<'a> {
    /// Lists the slash commands.
    Help,
    /// Shows the person's inbox.
    Inbox,
    /// Shows the model's latest plan.
    Plan,
    /// Shows the model of the session.
    Model,
    /// Leaves the chat.
    Quit,
    /// Adds a reference to the next message.
    Enrich(&'a str),
    /// An unknown command.
    Unknown(&'a str),
}

/// Parses a slash command; `None` for a message. A path is a message, and so is a line that begins with a space.
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

/// The model of the session, and how to change it.
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
    fn slash_line_is_command_unless_path() {
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
