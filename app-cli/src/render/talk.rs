//! What a talk shows of an entry beside the words that were said: calls, results, troubles.

use entracte_application::codec::Entry;
use entracte_application::texts::{Texts, say};
use entracte_domain::command::CallOutcome;
use entracte_domain::message::{Author, Body, Message, SystemKind};
use entracte_domain::session::{Appended, Input};

use super::colour::paint;
use super::messages::plan;
use super::text::{block, cut, one_line};
use crate::output::Style;

/// What is shown of an entry.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Told {
    /// What the model said, to be shown where it was not streamed.
    pub(crate) said: Option<String>,
    /// Lines under it.
    pub(crate) lines: Vec<String>,
    /// What the model says after its actions.
    pub(crate) after: Vec<String>,
}

/// What a talk shows of an entry. What this person did is known to them; `author` is their name.
pub(crate) fn told(entry: &Entry, author: &str, style: Style, texts: &Texts) -> Told {
    let mut told = Told::default();
    match &entry.input {
        Input::AiResponseReceived(response) if response.faults.is_empty() => {
            told.said = Some(block(&response.message.pre_text));
            told.lines.extend(plan(&response.message.plan, texts));
            let calls = response
                .calls
                .iter()
                .map(|call| format!("→ {} {}", call.command.name, call.command.arguments.to_json()));
            told.lines.extend(calls.map(|line| dim(&line, style)));
        }
        Input::AiResponseReceived(_) => {
            told.lines.push(dim(&say!(texts, "talk-unreadable"), style));
        }
        Input::CallFinished { outcome, .. } => told.lines.push(result(outcome, style, texts)),
        Input::UserMessageSent(sent) if sent.author != author => {
            told.lines.push(line(&format!("{}: {}", sent.author, sent.message.linear_text()), "34", style));
        }
        _ => {}
    }
    for message in entry.appended.iter().filter_map(message) {
        told.hear(message, style);
    }
    told
}

impl Told {
    /// A message that the machine made.
    fn hear(&mut self, message: &Message, style: Style) {
        match (&message.author, &message.body) {
            (Author::Model, Body::Text(text)) => self.after.push(block(&text.spoken())),
            (Author::Model, Body::Ai(said)) => self.after.push(block(&said.pre_text)),
            (_, Body::System(system)) if is_trouble(system.kind) => {
                self.lines.push(line(&system.summary.spoken(), "31", style));
            }
            _ => {}
        }
    }
}

fn message(appended: &Appended) -> Option<&Message> {
    match appended {
        Appended::Message(message) => Some(message),
        Appended::Note(_) => None,
    }
}

fn is_trouble(kind: SystemKind) -> bool {
    matches!(
        kind,
        SystemKind::LimitReached
            | SystemKind::NetworkError
            | SystemKind::ProviderError
            | SystemKind::SessionTimeout
            | SystemKind::ValidationCancelled
            | SystemKind::CommunicationCancelled
    )
}

fn result(outcome: &CallOutcome, style: Style, texts: &Texts) -> String {
    match outcome {
        CallOutcome::Succeeded { content, .. } | CallOutcome::Accepted { content, .. } => {
            line(&format!("✓ {content}"), "36", style)
        }
        CallOutcome::Failed(failure) => {
            line(&format!("✗ {}: {}", failure.code, failure.message), "31", style)
        }
        CallOutcome::TimedOut => line(&format!("✗ {}", say!(texts, "outcome-timed-out")), "31", style),
        CallOutcome::Lost { .. } => line(&format!("✗ {}", say!(texts, "outcome-unknown")), "31", style),
        CallOutcome::Probed { happened, .. } => match happened {
            Some(true) => line(&format!("✓ {}", say!(texts, "outcome-happened")), "36", style),
            Some(false) => line(&say!(texts, "outcome-did-not-happen"), "33", style),
            None => line(&format!("✗ {}", say!(texts, "outcome-still-unknown")), "31", style),
        },
    }
}

fn dim(text: &str, style: Style) -> String {
    line(text, "2", style)
}

fn line(text: &str, code: &str, style: Style) -> String {
    let text = one_line(text);
    let text = style.width.map_or(text.clone(), |width| cut(&text, width.saturating_sub(2)));
    format!("  {}", paint(&text, code, style.colour))
}
