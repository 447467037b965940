//! A conversation as a client of AG-UI keeps it.

use std::borrow::Cow;
use std::collections::BTreeSet;

use entracte_application::journal::JournalEntry;
use entracte_application::json_value::to_serde;
use entracte_domain::id::{MessageId, SessionId};
use entracte_domain::message::{Author, MessageBody, SystemKind, SystemMessage};
use entracte_domain::session::{AiResponse, Input};
use serde_json::{Value, json};

/// What an entry adds to a conversation.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum TranscriptItem {
    /// A whole message.
    Said {
        /// Its id.
        id: String,
        /// `user`, `assistant` or `system`.
        role: &'static str,
        /// What it says.
        text: String,
    },
    /// A reply of the model, whose words were told before.
    Replied(TranscriptReply),
    /// The result of a call.
    Result {
        /// Its id.
        id: String,
        /// The call.
        call: String,
        /// The command.
        command: String,
        /// What the model reads.
        content: String,
    },
}

/// A reply of a model.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct TranscriptReply {
    /// Its model call, by which its words were told.
    pub(crate) id: String,
    /// What it says.
    pub(crate) text: String,
    /// What it asks for.
    pub(crate) calls: Vec<TranscriptCall>,
    /// The steps that it plans.
    pub(crate) plan: Vec<String>,
    /// The message in which it asks a question.
    pub(crate) asks: Option<MessageId>,
}

/// A call that a model asks for.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct TranscriptCall {
    /// Its id.
    pub(crate) id: String,
    /// The command.
    pub(crate) command: String,
    /// Its arguments, as JSON whose numbers keep their digits.
    pub(crate) arguments: String,
}

/// The id by which the words of a model call are told.
pub(crate) fn reply_id(session: &SessionId, round: u32, attempt: u32) -> String {
    session.model_call_id(round, attempt).to_string()
}

/// What an entry adds.
pub(crate) fn items(entry: &JournalEntry) -> Vec<TranscriptItem> {
    let mut items = Vec::new();
    for message in entry.messages() {
        let id = message.id.to_string();
        match &message.body {
            MessageBody::Rich(said) => {
                let id = own_id(&entry.input).map_or(id, str::to_owned);
                items.push(TranscriptItem::Said { id, role: "user", text: said.linear_text() });
            }
            MessageBody::Text(text) => items.push(TranscriptItem::Said {
                id,
                role: role(&message.author),
                text: spoken(text.to_plain_text()),
            }),
            MessageBody::Ai(_) => items.extend(reply(entry).map(TranscriptItem::Replied)),
            MessageBody::System(system) => items.extend(of_system(&id, system)),
            MessageBody::Execution(_) => {}
        }
    }
    items
}

/// The id that the client drew for its message.
fn own_id(input: &Input) -> Option<&str> {
    match input {
        Input::UserMessageSent(sent) => sent.client_key.as_deref(),
        _ => None,
    }
}

const fn role(author: &Author) -> &'static str {
    match author {
        Author::Person(_) => "user",
        Author::Model => "assistant",
        Author::System => "system",
    }
}

fn spoken(text: Cow<'_, str>) -> String {
    text.into_owned()
}

/// The reply that an entry brings; none where it could not be read, for then its words are void.
fn reply(entry: &JournalEntry) -> Option<TranscriptReply> {
    let Input::AiResponseReceived(response) = &entry.input else { return None };
    let AiResponse { round, attempt, message, faults, calls, .. } = response.as_ref();
    if !faults.is_empty() {
        return None;
    }
    let call = |(ordinal, requested): (usize, &entracte_domain::session::RequestedCall)| TranscriptCall {
        id: entry.session.call_id(entry.sequence, ordinal).to_string(),
        command: requested.command.name.clone(),
        arguments: to_serde(&requested.command.arguments).to_string(),
    };
    let asks = message.question.is_some().then(|| entry.session.message_id(entry.sequence, 0));
    Some(TranscriptReply {
        id: reply_id(&entry.session, *round, *attempt),
        text: message.pre_text.clone(),
        calls: calls.iter().enumerate().map(call).collect(),
        plan: message.plan.clone(),
        asks,
    })
}

fn of_system(id: &str, system: &SystemMessage) -> Vec<TranscriptItem> {
    if system.results.is_empty() {
        let text = spoken(system.summary.to_plain_text());
        let said = TranscriptItem::Said { id: id.to_owned(), role: "system", text };
        return is_for_people(system.kind).then_some(said).into_iter().collect();
    }
    let results = system.results.iter().enumerate().map(|(number, result)| TranscriptItem::Result {
        id: format!("{id}.{number}"),
        call: result.call.to_string(),
        command: result.command.clone(),
        content: spoken(result.content.to_plain_text()),
    });
    results.collect()
}

/// Whether what the machine says is for people, and not only for the model.
const fn is_for_people(kind: SystemKind) -> bool {
    match kind {
        SystemKind::LimitReached
        | SystemKind::ValidationCancelled
        | SystemKind::CommunicationCancelled
        | SystemKind::NetworkError
        | SystemKind::ProviderError
        | SystemKind::SessionTimeout
        | SystemKind::TaskResult => true,
        SystemKind::DataAdded
        | SystemKind::ActionsExecuted
        | SystemKind::SchemaRequired
        | SystemKind::FormatError
        | SystemKind::Continuation
        | SystemKind::RulesChanged
        | SystemKind::EventPayload
        | SystemKind::ContextSummary
        | SystemKind::Mission
        | SystemKind::MissionAnswer => false,
    }
}

/// How a run ends that waits for nobody.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum AguiRunOutcome {
    /// Its work is done.
    Done,
    /// Somebody broke it off.
    Cancelled,
    /// It failed.
    Failed {
        /// What programs match on.
        code: String,
        /// For people.
        text: String,
    },
}

/// What an entry says of how its run will end; none where it says nothing.
pub(crate) fn outcome(entry: &JournalEntry) -> Option<AguiRunOutcome> {
    for message in entry.messages().iter().rev() {
        if let MessageBody::System(system) = &message.body
            && let SystemKind::NetworkError | SystemKind::ProviderError | SystemKind::SessionTimeout =
                system.kind
        {
            let code = system.kind.word().to_lowercase().replace('_', "-");
            return Some(AguiRunOutcome::Failed { code, text: spoken(system.summary.to_plain_text()) });
        }
    }
    match &entry.input {
        Input::StopRequested { .. } | Input::RoundInterrupted { .. } => Some(AguiRunOutcome::Cancelled),
        input if starts_run(input) => Some(AguiRunOutcome::Done),
        Input::AiResponseReceived(_) => Some(AguiRunOutcome::Done),
        _ => None,
    }
}

/// Whether an input is what a run of a client begins with.
fn starts_run(input: &Input) -> bool {
    matches!(
        input,
        Input::SessionCreated(_)
            | Input::SessionActivationRequested { .. }
            | Input::UserMessageSent(_)
            | Input::ValidationReceived { .. }
            | Input::CommunicationResponseReceived { .. }
            | Input::CompletionConfirmed { .. }
            | Input::CompletionRejected { .. }
    )
}

/// A conversation, as far as its client was told.
#[derive(Clone, Debug, Default)]
pub(crate) struct AguiTranscript {
    messages: Vec<Value>,
    calls: BTreeSet<String>,
    /// The message of the last reply, where it asks a question.
    asks: Option<MessageId>,
    /// The messages in which questions were asked.
    asked: BTreeSet<String>,
}

impl AguiTranscript {
    /// Of these entries.
    pub(crate) fn from_entries(entries: &[JournalEntry]) -> Self {
        let mut transcript = Self::default();
        for item in entries.iter().flat_map(items) {
            transcript.push(&item);
        }
        transcript
    }

    /// The number of the entry after which the latest run of these is told. A message is its client's own; what came of a
    /// decision or an answer may stand in the entry that took it in, and is told with it.
    pub(crate) fn latest_run_start(entries: &[JournalEntry]) -> u64 {
        let began = entries.iter().rev().find(|entry| starts_run(&entry.input));
        began.or(entries.first()).map_or(0, |entry| match &entry.input {
            Input::UserMessageSent(_) | Input::SessionCreated(_) => entry.seq,
            _ => entry.seq.saturating_sub(1),
        })
    }

    /// With what an entry adds.
    pub(crate) fn push(&mut self, item: &TranscriptItem) {
        match item {
            TranscriptItem::Said { id, role, text } => {
                self.messages.push(json!({ "id": id, "role": role, "content": text }));
            }
            TranscriptItem::Replied(reply) => {
                let mut message = json!({ "id": reply.id, "role": "assistant" });
                if !reply.text.is_empty() {
                    message["content"] = Value::from(reply.text.as_str());
                }
                if !reply.calls.is_empty() {
                    message["toolCalls"] = reply.calls.iter().map(function).collect();
                }
                // One that says nothing and asks for nothing is none.
                if message.as_object().is_some_and(|message| message.len() > 2) {
                    self.messages.push(message);
                }
                self.calls.extend(reply.calls.iter().map(|call| call.id.clone()));
                self.asked.extend(reply.asks.as_ref().map(ToString::to_string));
                self.asks = reply.asks.clone();
            }
            TranscriptItem::Result { id, call, content, .. } => {
                let message = json!({ "id": id, "role": "tool", "toolCallId": call, "content": content });
                self.messages.push(message);
            }
        }
    }

    /// Its messages.
    pub(crate) fn messages(&self) -> &[Value] {
        &self.messages
    }

    /// Whether it has a message of this id.
    pub(crate) fn has(&self, id: &str) -> bool {
        self.messages.iter().any(|message| message["id"] == *id)
    }

    /// Whether a call was told.
    pub(crate) fn has_call(&self, id: &str) -> bool {
        self.calls.contains(id)
    }

    /// Whether a client that keeps messages of these ids knows all of it.
    pub(crate) fn is_known(&self, ids: &[&str]) -> bool {
        self.messages.len() == ids.len() && ids.iter().all(|id| self.has(id))
    }

    /// The message of the last reply, where it asks a question.
    pub(crate) fn pending_question(&self) -> Option<&MessageId> {
        self.asks.as_ref()
    }

    /// Whether a question was asked in this message.
    pub(crate) fn has_asked(&self, message: &str) -> bool {
        self.asked.contains(message)
    }
}

fn function(call: &TranscriptCall) -> Value {
    let function = json!({ "name": call.command, "arguments": call.arguments });
    json!({ "id": call.id, "type": "function", "function": function })
}
