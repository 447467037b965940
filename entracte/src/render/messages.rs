//! Renders messages of a conversation.

use entracte_adapters_http::shapes::message::{
    AgentExitShape, AgentQuestionShape, CommandResultShape, MessageShape,
};
use entracte_application::json_value::to_text;
use entracte_application::texts::{LocalizedTexts, say};
use entracte_domain::message::AiMessage;
use jiff::tz::TimeZone;

use super::file::file_words;
use super::text::{block, cut, one_line};
use super::time::{day, shown_instant};
use crate::colour::paint;

/// The columns of a result; the JSON contains all of it.
const RESULT_WIDTH: usize = 200;

/// The message with its author and time.
pub(crate) fn draw(message: &MessageShape, colour: bool, texts: &LocalizedTexts, zone: &TimeZone) -> String {
    let (who, code) = match &*message.role {
        "user" => (one_line(&message.author), "34;1"),
        "ai" => (say!(texts, "author-model"), "32;1"),
        _ => (one_line(&message.author), "2"),
    };
    let at = shown_instant(&message.at, |at| day(at, zone));
    let at = paint(&at, "2", colour);
    let notice = message.notice.as_ref().map(|notice| format!("{}\n", paint(&one_line(notice), "2", colour)));
    let notice = notice.unwrap_or_default();
    format!("{} {at}\n{}\n{notice}", paint(&who, code, colour), body(message, texts))
}

fn body(message: &MessageShape, texts: &LocalizedTexts) -> String {
    match (&*message.role, &*message.kind) {
        (_, "execution") => say!(texts, "journal-started-by", trigger = one_line(&message.text)),
        ("ai", _) => reply(message, texts),
        ("user", _) | (_, "text" | "rich") => block(&message.text),
        (_, kind) => {
            let mut lines = vec![format!("{kind} {}", block(&message.text))];
            lines.extend(message.results.iter().map(|one| result(one, texts)));
            lines.extend(message.data.iter().map(|data| format!("  {}", cut(&one_line(data), RESULT_WIDTH))));
            lines.join("\n")
        }
    }
}

fn reply(message: &MessageShape, texts: &LocalizedTexts) -> String {
    let mut lines = vec![block(&message.text)];
    lines.extend(plan(&message.plan, texts));
    let commands = message.queries.iter().chain(&message.actions);
    lines.extend(commands.map(|command| {
        format!("  → {} {}", one_line(&command.command), one_line(&to_text(&command.arguments.0)))
    }));
    let question = message.question.as_ref();
    lines.extend(question.map(|question| super::approval::question(question, false, texts)));
    let agent = agent(message.exit.as_ref(), message.asks.as_ref(), texts);
    lines.extend(agent.map(|line| format!("  {line}")));
    lines.retain(|line| !line.is_empty());
    lines.join("\n")
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
pub(crate) fn agent(
    exit: Option<&AgentExitShape>,
    asks: Option<&AgentQuestionShape>,
    texts: &LocalizedTexts,
) -> Option<String> {
    if let Some(exit) = exit {
        let (reason, conclusion) = (one_line(&exit.reason), one_line(&exit.conclusion));
        let ended = say!(texts, "agent-exit", reason = reason, conclusion = conclusion);
        return Some(format!("{ended} {}", one_line(&to_text(&exit.result.0))));
    }
    let asks = asks?;
    let key = if asks.user { "agent-asks-user" } else { "agent-asks-caller" };
    Some(say!(texts, key, question = one_line(&asks.question)))
}

/// The same of a stored reply.
pub(crate) fn agent_of_reply(said: &AiMessage, texts: &LocalizedTexts) -> Option<String> {
    let (exit, asks) = (said.exit.as_ref(), said.asks.as_ref());
    agent(exit.map(AgentExitShape::from).as_ref(), asks.map(AgentQuestionShape::from).as_ref(), texts)
}

fn result(result: &CommandResultShape, texts: &LocalizedTexts) -> String {
    let content = cut(&one_line(&result.content), RESULT_WIDTH);
    let files: String = result.files.iter().map(|file| format!(" [{}]", file_words(file, texts))).collect();
    let status = super::stored_words::word("state", &result.status, texts);
    format!("  {} {status}{} {content}{files}", one_line(&result.command), say!(texts, "screen-colon"))
}
