//! Lines for Entracte instead of the model: `/help` and others.

use entracte_adapters_http::shapes::session::SessionShape;
use entracte_application::texts::{LocalizedTexts, say};

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
    /// Attaches files to the next message, or takes them back.
    Attach(&'a str),
    /// Lists the prompts of the MCP servers.
    Prompts,
    /// Fetches a prompt of an MCP server.
    Prompt {
        /// The server's name in the configuration.
        server: &'a str,
        /// The name of the prompt at its server.
        prompt: &'a str,
        /// Its arguments, as written.
        arguments: &'a str,
    },
    /// An unknown command.
    Unknown(&'a str),
}

/// Parses a slash command; `None` for a message. A path is a message, and so is a line that begins with a space.
pub(super) fn slash(line: &str) -> Option<SlashCommand<'_>> {
    let rest = line.strip_prefix('/')?;
    let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
    let (word, more) = rest.split_at(end);
    if let Some((server, prompt)) = word.split_once(':')
        && is_server_name(server)
        && !prompt.is_empty()
    {
        return Some(SlashCommand::Prompt { server, prompt, arguments: more });
    }
    if word.is_empty() || !word.chars().all(|character| character.is_alphabetic() || character == '-') {
        return None;
    }
    Some(match word {
        "help" | "aide" => SlashCommand::Help,
        "inbox" => SlashCommand::Inbox,
        "plan" => SlashCommand::Plan,
        "model" => SlashCommand::Model,
        "quit" | "exit" => SlashCommand::Quit,
        "prompts" => SlashCommand::Prompts,
        "enrich" => SlashCommand::Enrich(more.trim()),
        "attach" => SlashCommand::Attach(more.trim()),
        unknown => SlashCommand::Unknown(unknown),
    })
}

fn is_server_name(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_alphabetic())
        && name.chars().all(|character| character.is_ascii_alphanumeric() || matches!(character, '-' | '_'))
}

/// The model of the session, and how to change it.
pub(super) fn model(session: &SessionShape, texts: &LocalizedTexts) -> String {
    let editable = &session.editable;
    say!(
        texts,
        "talk-model",
        provider = &editable.provider,
        model = &editable.model,
        dialect = &*editable.dialect,
        session = session.id.as_str()
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
            ("/attach plan.png", Some(SlashCommand::Attach("plan.png"))),
            ("/what is this", Some(SlashCommand::Unknown("what"))),
            ("/prompts", Some(SlashCommand::Prompts)),
            (
                "/notes:sum-up to=Ann",
                Some(SlashCommand::Prompt { server: "notes", prompt: "sum-up", arguments: " to=Ann" }),
            ),
            ("/note: buy milk", None),
            ("/10:30 is late", None),
            ("/home/a:b", None),
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
