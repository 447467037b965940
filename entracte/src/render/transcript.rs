//! Renders entries in a chat: the messages they add, and the acts of people.

use entracte_application::journal::JournalEntry;
use entracte_application::texts::{LocalizedTexts, say};
use entracte_domain::call::{CallStatus, CallStatusGroup};
use entracte_domain::id::CallId;
use entracte_domain::message::{
    AiMessage, Author, CommandResult, Message, MessageBody, SystemKind, SystemMessage,
};
use entracte_domain::session::{AiResponse, Input, JournalNote, LogAppend, StoppedReply};
use entracte_domain::validation::{Decision, DecisionVerdict};

use super::messages::plan;
use super::plan as progress;
use super::stored_words::word;
use super::text::{block, one_line};
use super::wrap::wrapped;
use crate::colour::paint;
use crate::next_command_hints::with_failure_hint;
use crate::output::OutputStyle;

/// The most terminal rows of a call or its result; `session calls` shows all of it.
const ROWS: usize = 4;

/// A part of the display.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TranscriptPart {
    /// The model's text, unchanged: data.
    Said(String),
    /// Rendered lines besides the data.
    Beside(String),
}

/// The reader of the transcript.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct TranscriptViewer<'a> {
    /// Whether this person has just caused the entry here, so that the screen shows it as typed.
    pub(crate) did_it: bool,
    /// The calls whose cards are on the screen, with the descriptions of their actions.
    pub(crate) cards: &'a [(CallId, String)],
}

impl TranscriptViewer<'_> {
    /// The description of a call whose card is on the screen, or its id.
    fn call_text(&self, call: &CallId) -> String {
        let card = self.cards.iter().find(|(shown, _)| shown == call);
        card.map_or_else(|| call.to_string(), |(_, says)| says.clone())
    }
}

/// The parts shown for an entry.
pub(crate) fn entry_parts(
    entry: &JournalEntry,
    reader: &TranscriptViewer<'_>,
    style: OutputStyle,
    texts: &LocalizedTexts,
) -> Vec<TranscriptPart> {
    let pen = TranscriptRenderer { style, texts };
    let mut parts = pen.input(&entry.input, reader);
    for appended in &entry.appended {
        match appended {
            LogAppend::Message(message) => parts.extend(pen.message(message)),
            LogAppend::Note(JournalNote::PlanApproved(plan)) => {
                parts.push(pen.annotation_part(&progress::plan(&plan.into(), texts), "36"));
            }
            LogAppend::Note(JournalNote::PlanStepped { step, .. }) => {
                parts.push(pen.annotation_part(&progress::step(&step.into(), texts), "36"));
            }
            LogAppend::Note(_) => {}
        }
    }
    parts
}

/// The parts of an earlier message in a recap.
pub(crate) fn past_message_parts(
    message: &Message,
    style: OutputStyle,
    texts: &LocalizedTexts,
) -> Vec<TranscriptPart> {
    let pen = TranscriptRenderer { style, texts };
    match &message.body {
        MessageBody::Rich(said) => vec![pen.person(&message.author, &said.linear_text())],
        MessageBody::Text(text) if message.author != Author::Model => {
            vec![pen.person(&message.author, &text.to_plain_text())]
        }
        MessageBody::Ai(said) => pen.ai(said, &[]),
        MessageBody::Text(_) | MessageBody::System(_) | MessageBody::Execution(_) => pen.message(message),
    }
}

/// Renders the parts.
struct TranscriptRenderer<'a> {
    style: OutputStyle,
    texts: &'a LocalizedTexts,
}

impl TranscriptRenderer<'_> {
    /// The parts of the input itself. Inputs without a person show only their messages.
    fn input(&self, input: &Input, reader: &TranscriptViewer<'_>) -> Vec<TranscriptPart> {
        match input {
            Input::AiResponseReceived(response) => self.response(response),
            Input::RoundInterrupted { author, reply } => {
                let halt = self.halt("talk-interrupted", "talk-interrupted-by", author, reader);
                stopped_words(reply.as_ref()).chain([halt]).collect()
            }
            Input::StopRequested { author, reply, .. } => {
                let halt = self.halt("talk-stopped", "talk-stopped-by", author, reader);
                stopped_words(reply.as_ref()).chain([halt]).collect()
            }
            _ if reader.did_it => Vec::new(),
            Input::UserMessageSent(sent) => {
                vec![self.person(&Author::Person(sent.author.clone()), &sent.message.linear_text())]
            }
            Input::CommunicationResponseReceived { author, answer } => {
                let says = say!(self.texts, "talk-answered-by", name = author, answer = answer);
                vec![self.annotation_part(&says, "33")]
            }
            Input::ValidationReceived { author, decisions } => Decision::effective_decisions(decisions)
                .map(|decision| self.decided(author, decision, reader))
                .collect(),
            Input::DecisionCommented { author, call, comment } => {
                let call = reader.call_text(call);
                let says =
                    say!(self.texts, "talk-commented-by", name = author, call = call, comment = comment);
                vec![self.annotation_part(&says, "33")]
            }
            _ => Vec::new(),
        }
    }

    fn response(&self, response: &AiResponse) -> Vec<TranscriptPart> {
        if !response.faults.is_empty() {
            return vec![self.annotation_part(&say!(self.texts, "talk-unreadable"), "2")];
        }
        let calls: Vec<_> = response.calls.iter().map(|call| &call.command).collect();
        self.ai(&response.message, &calls)
    }

    fn ai(&self, said: &AiMessage, calls: &[&entracte_domain::command::Command]) -> Vec<TranscriptPart> {
        let mut parts = Vec::new();
        if !said.pre_text.trim().is_empty() {
            parts.push(TranscriptPart::Said(said.pre_text.clone()));
        }
        parts.extend(plan(&said.plan, self.texts).map(TranscriptPart::Beside));
        let asked: Vec<_> = match calls {
            [] => said.queries.iter().chain(&said.actions).collect(),
            calls => calls.to_vec(),
        };
        parts.extend(asked.into_iter().map(|command| {
            self.annotation_part(&format!("→ {} {}", command.name, command.arguments.to_json()), "2")
        }));
        parts.extend(
            super::messages::agent_of_reply(said, self.texts).map(|says| self.annotation_part(&says, "34")),
        );
        parts
    }

    /// A notice that the work was interrupted, by this person or another one.
    fn halt(&self, own: &str, others: &str, author: &str, reader: &TranscriptViewer<'_>) -> TranscriptPart {
        let says = match reader.did_it {
            true => self.texts.render(own, &[]),
            false => say!(self.texts, others, name = author),
        };
        self.annotation_part(&says, "33")
    }

    /// A notice that another person decided on a call, whose card may still be on the screen.
    fn decided(&self, author: &str, decision: &Decision, reader: &TranscriptViewer<'_>) -> TranscriptPart {
        let what = match &decision.verdict {
            DecisionVerdict::Approve { edited: None, .. } => "approved",
            DecisionVerdict::Approve { edited: Some(_), .. } => "edited",
            DecisionVerdict::Reject { .. } => "rejected",
        };
        let call = reader.call_text(&decision.call);
        let what = word("decided", what, self.texts);
        self.annotation_part(
            &say!(self.texts, "talk-decided-by", name = author, what = what, call = call),
            "33",
        )
    }

    /// The parts of a message from the state machine.
    fn message(&self, message: &Message) -> Vec<TranscriptPart> {
        match (&message.author, &message.body) {
            (Author::Model, MessageBody::Text(text)) => {
                vec![TranscriptPart::Said(text.to_plain_text().into_owned())]
            }
            (Author::Model, MessageBody::Ai(said)) => self.ai(said, &[]),
            (_, MessageBody::System(system)) => self.system(system),
            (Author::Person(_) | Author::System, MessageBody::Text(_) | MessageBody::Ai(_))
            | (_, MessageBody::Rich(_) | MessageBody::Execution(_)) => Vec::new(),
        }
    }

    fn system(&self, system: &SystemMessage) -> Vec<TranscriptPart> {
        let mut parts: Vec<TranscriptPart> =
            system.results.iter().map(|result| self.result(result)).collect();
        if is_trouble(system.kind) {
            parts.push(self.annotation_part(&system.summary.to_plain_text(), "31"));
        }
        if matches!(system.kind, SystemKind::Mission | SystemKind::MissionAnswer) {
            let said = system.formatted_data.as_ref().map(|said| said.to_plain_text()).unwrap_or_default();
            parts.push(self.annotation_part(&format!("{} {said}", system.summary.to_plain_text()), "34"));
        }
        if system.kind == SystemKind::ContextSummary {
            parts.push(self.annotation_part(&say!(self.texts, "talk-summarized"), "2"));
        }
        parts
    }

    fn result(&self, result: &CommandResult) -> TranscriptPart {
        let content = result.to_plain_text();
        let name = &result.command;
        let colon = say!(self.texts, "screen-colon");
        match result.status.group() {
            CallStatusGroup::Success => self.annotation_part(&format!("✓ {name}{colon} {content}"), "36"),
            CallStatusGroup::Cached => self.annotation_part(&format!("✓ {name}{colon} {content}"), "2"),
            CallStatusGroup::Cancelled => self.annotation_part(&format!("– {name}{colon} {content}"), "33"),
            CallStatusGroup::Failed => {
                let status = word("state", result.status.word(), self.texts);
                // Whether it happened is not known, so it is not shown as a failure.
                if result.status == CallStatus::Unknown {
                    return self.annotation_part(&format!("? {name}{colon} {status}{colon} {content}"), "35");
                }
                let is_plain = result.status == CallStatus::Failed;
                let why = result.code.as_ref().filter(|_| is_plain).unwrap_or(&status);
                let content =
                    with_failure_hint(result.code.as_deref(), name, content.into_owned(), self.texts);
                self.annotation_part(&format!("✗ {name}{colon} {why}{colon} {content}"), "31")
            }
        }
    }

    /// The message of a person.
    fn person(&self, author: &Author, text: &str) -> TranscriptPart {
        let name = match author {
            Author::Person(name) => one_line(name),
            Author::Model => say!(self.texts, "author-model"),
            Author::System => "entracte".to_owned(),
        };
        let first = format!("{name}> ");
        let Some(width) = self.style.width else {
            return TranscriptPart::Beside(format!("{first}{}", block(text)));
        };
        let lines = wrapped(&block(text), width.saturating_sub(1), &first, "  ");
        let painted: Vec<String> = lines.iter().map(|line| paint(line, "34", self.style.colour)).collect();
        TranscriptPart::Beside(painted.join("\n"))
    }

    /// An annotation, wrapped at the width and folded if it is long.
    fn annotation_part(&self, text: &str, code: &str) -> TranscriptPart {
        let text = one_line(text);
        let Some(width) = self.style.width else { return TranscriptPart::Beside(format!("  {text}")) };
        let mut lines = wrapped(&text, width.saturating_sub(1), "  ", "    ");
        if lines.len() > ROWS {
            lines.truncate(ROWS);
            if let Some(last) = lines.last_mut() {
                *last =
                    super::wrap::cut_at(&format!("{last}  "), width.saturating_sub(2)).trim_end().to_owned();
                last.push('…');
            }
        }
        let painted: Vec<String> = lines.iter().map(|line| paint(line, code, self.style.colour)).collect();
        TranscriptPart::Beside(painted.join("\n"))
    }
}

/// The words of a reply that a person stopped, which stay.
fn stopped_words(reply: Option<&StoppedReply>) -> impl Iterator<Item = TranscriptPart> {
    reply.map(|reply| TranscriptPart::Said(reply.text.clone())).into_iter()
}

fn is_trouble(kind: SystemKind) -> bool {
    match kind {
        SystemKind::LimitReached
        | SystemKind::NetworkError
        | SystemKind::ProviderError
        | SystemKind::SessionTimeout
        | SystemKind::SpendingQuestion
        | SystemKind::ValidationCancelled
        | SystemKind::CommunicationCancelled => true,
        SystemKind::DataAdded
        | SystemKind::ActionsExecuted
        | SystemKind::FormatError
        | SystemKind::Continuation
        | SystemKind::ReplyStopped
        | SystemKind::RulesChanged
        | SystemKind::TaskResult
        | SystemKind::EventPayload
        | SystemKind::ContextSummary
        | SystemKind::Mission
        | SystemKind::MissionAnswer => false,
    }
}
