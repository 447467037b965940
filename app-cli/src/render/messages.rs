//! Renders messages of a conversation.

use entracte_application::journal::ConversationMessage;
use entracte_application::texts::{LocalizedTexts, say};
use entracte_domain::message::{AiMessage, Author, CommandResult, MessageBody};
use jiff::tz::TimeZone;

use super::text::{block, cut, one_line};
use super::time::day;
use crate::colour::paint;

/// The columns of a result; the JSON contains all of it.
const RESULT_WIDTH: usize = 200;

/// The message with its author and time.
pub(crate) fn draw(
    described: &ConversationMessage,
    colour: bool,
    texts: &LocalizedTexts,
    zone: &TimeZone,
) -> String {
    let message = &described.message;
    let (who, code) = match &message.author {
        Author::Person(name) => (one_line(name), "34;1"),
        Author::Model => (say!(texts, "author-model"), "32;1"),
        Author::System => ("entracte".to_owned(), "2"),
    };
    let at = paint(&day(message.at, zone), "2", colour);
    format!("{} {at}\n{}\n", paint(&who, code, colour), body(described, texts))
}

fn body(described: &ConversationMessage, texts: &LocalizedTexts) -> String {
    match &described.message.body {
        MessageBody::Rich(said) => block(&said.linear_text()),
        MessageBody::Text(text) => block(&text.to_plain_text()),
        MessageBody::Ai(said) => {
            let mut lines = vec![block(&said.pre_text)];
            lines.extend(plan(&said.plan, texts));
            let commands = described.queries.iter().chain(&described.actions);
            lines.extend(commands.map(|command| {
                format!("  → {} {}", one_line(&command.name), one_line(&command.arguments.to_json()))
            }));
            lines.extend(
                said.question.as_ref().map(|question| super::approval::question(question, false, texts)),
            );
            lines.extend(agent(said, texts).map(|line| format!("  {line}")));
            lines.retain(|line| !line.is_empty());
            lines.join("\n")
        }
        MessageBody::System(system) => {
            let mut lines =
                vec![format!("{} {}", system.kind.word(), block(&system.summary.to_plain_text()))];
            lines.extend(system.results.iter().map(|one| result(one, texts)));
            lines.extend(
                system
                    .data_without_results()
                    .map(|data| format!("  {}", cut(&one_line(&data.to_plain_text()), RESULT_WIDTH))),
            );
            lines.join("\n")
        }
        MessageBody::Execution(started) => {
            say!(texts, "journal-started-by", trigger = one_line(&started.trigger))
        }
    }
}

/// The steps of a model's plan as a list under a head; `None` if there are none.
pub(crate) fn plan(steps: &[String], texts: &LocalizedTexts) -> Option<String> {
    if steps.is_empty() {
        return None;
    }
    let lines = steps.iter().enumerate().map(|(index, step)| format!("  {}. {}", index + 1, one_line(step)));
    let mut all = vec![say!(texts, "plan-head")];
    all.extend(lines);
    Some(all.join("\n"))
}

/// The end of an agent's mission, or its question; `None` for other messages.
pub(crate) fn agent(said: &AiMessage, texts: &LocalizedTexts) -> Option<String> {
    if let Some(exit) = &said.exit {
        let (reason, conclusion) = (one_line(&exit.reason), one_line(&exit.conclusion));
        let ended = say!(texts, "agent-exit", reason = reason, conclusion = conclusion);
        return Some(format!("{ended} {}", one_line(&exit.result.to_json())));
    }
    let asks = said.asks.as_ref()?;
    let key = if asks.user { "agent-asks-user" } else { "agent-asks-caller" };
    Some(say!(texts, key, question = one_line(&asks.question)))
}

fn result(result: &CommandResult, texts: &LocalizedTexts) -> String {
    let content = cut(&one_line(&result.content.to_plain_text()), RESULT_WIDTH);
    let status = super::stored_words::word("state", result.status.word(), texts);
    format!("  {} {status}{} {content}", one_line(&result.command), say!(texts, "screen-colon"))
}
