//! The conversation as an AG-UI client stores it.

use std::borrow::Cow;
use std::collections::BTreeSet;

use entracte_application::journal::JournalEntry;
use entracte_application::texts::RefusalText;
use entracte_domain::id::{MessageId, RoundAttempt, SessionId};
use entracte_domain::message::{Author, MessageBody, SystemKind, SystemMessage};
use entracte_domain::session::{AiResponse, Input, StoppedReply};
use serde_json::{Value, json};

/// An addition to the transcript.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum TranscriptItem {
    /// A whole message.
    Said {
        /// Message id.
        id: String,
        /// `user`, `assistant` or `system`.
        role: &'static str,
        /// Text of the message.
        text: String,
    },
    /// A reply of the model, whose text was streamed before.
    Replied(TranscriptReply),
    /// The result of a command call.
    Result {
        /// Message id.
        id: String,
        /// Id of the call.
        call: String,
        /// Name of the command.
        command: String,
        /// The content that the model reads.
        content: String,
    },
}

/// A model reply.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct TranscriptReply {
    /// Id derived from the model call; streamed text has the same id.
    pub(crate) id: String,
    /// Text of the reply.
    pub(crate) text: String,
    /// The requested calls.
    pub(crate) calls: Vec<TranscriptCall>,
    /// The steps of the proposed plan.
    pub(crate) plan: Vec<String>,
    /// The message in which the reply asks a question.
    pub(crate) asks: Option<MessageId>,
}

/// A call requested by a model.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct TranscriptCall {
    /// Id of the call.
    pub(crate) id: String,
    /// Name of the command.
    pub(crate) command: String,
    /// The arguments as JSON text; numbers keep their digits.
    pub(crate) arguments: String,
}

/// The message id of a model call's text.
pub(crate) fn reply_id(session: &SessionId, number: RoundAttempt) -> String {
    session.model_call_id(number).to_string()
}

/// The transcript items that a journal entry adds.
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

/// The id that the client chose for its message.
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

/// The reply in a journal entry; `None` if it could not be read, because its streamed text is void then.
fn reply(entry: &JournalEntry) -> Option<TranscriptReply> {
    let response = match &entry.input {
        Input::AiResponseReceived(response) => response,
        Input::StopRequested { reply: Some(stopped), .. }
        | Input::RoundInterrupted { reply: Some(stopped), .. } => return Some(stopped_reply(entry, stopped)),
        _ => return None,
    };
    let AiResponse { message, faults, calls, .. } = response.as_ref();
    if !faults.is_empty() {
        return None;
    }
    let call = |(ordinal, requested): (usize, &entracte_domain::session::RequestedCall)| TranscriptCall {
        id: entry.session.call_id(entry.sequence, ordinal).to_string(),
        command: requested.command.name.clone(),
        arguments: requested.command.arguments.canonical(),
    };
    let asks_person = message.question.is_some() || message.asks.as_ref().is_some_and(|asks| asks.user);
    let asks = asks_person.then(|| entry.session.message_id(entry.sequence, 0));
    Some(TranscriptReply {
        id: reply_id(&entry.session, response.number()),
        text: message.pre_text.clone(),
        calls: calls.iter().enumerate().map(call).collect(),
        plan: message.plan.clone(),
        asks,
    })
}

/// The words of a reply that a person stopped, which stay.
fn stopped_reply(entry: &JournalEntry, stopped: &StoppedReply) -> TranscriptReply {
    TranscriptReply {
        id: reply_id(&entry.session, stopped.number()),
        text: stopped.text.clone(),
        calls: Vec::new(),
        plan: Vec::new(),
        asks: None,
    }
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
        content: spoken(result.to_plain_text()),
    });
    results.collect()
}

/// Whether a system message is meant for people, not only for the model.
const fn is_for_people(kind: SystemKind) -> bool {
    match kind {
        SystemKind::LimitReached
        | SystemKind::ValidationCancelled
        | SystemKind::CommunicationCancelled
        | SystemKind::NetworkError
        | SystemKind::ProviderError
        | SystemKind::SessionTimeout
        | SystemKind::SpendingQuestion
        | SystemKind::TaskResult => true,
        SystemKind::DataAdded
        | SystemKind::ActionsExecuted
        | SystemKind::FormatError
        | SystemKind::Continuation
        | SystemKind::ReplyStopped
        | SystemKind::RulesChanged
        | SystemKind::EventPayload
        | SystemKind::ContextSummary
        | SystemKind::Mission
        | SystemKind::MissionAnswer => false,
    }
}

/// Outcome of a run that does not wait for a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum AguiRunOutcome {
    /// The work is done.
    Done,
    /// A person cancelled the run.
    Cancelled,
    /// The run failed.
    Failed {
        /// Machine-readable code.
        code: String,
        /// Text for people.
        text: RefusalText,
    },
}

/// The outcome that a journal entry implies for its run; `None` if it implies none.
pub(crate) fn outcome(entry: &JournalEntry) -> Option<AguiRunOutcome> {
    for message in entry.messages().iter().rev() {
        if let MessageBody::System(system) = &message.body
            && let SystemKind::NetworkError
            | SystemKind::ProviderError
            | SystemKind::SessionTimeout
            | SystemKind::SpendingQuestion = system.kind
        {
            let code = system.kind.word().to_lowercase().replace('_', "-");
            return Some(AguiRunOutcome::Failed {
                code,
                text: spoken(system.summary.to_plain_text()).into(),
            });
        }
    }
    match &entry.input {
        Input::StopRequested { .. } | Input::RoundInterrupted { .. } => Some(AguiRunOutcome::Cancelled),
        input if starts_run(input) => Some(AguiRunOutcome::Done),
        Input::AiResponseReceived(_) => Some(AguiRunOutcome::Done),
        _ => None,
    }
}

/// Whether an input starts a run of a client.
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

/// The part of a conversation that the client has received.
#[derive(Clone, Debug, Default)]
pub(crate) struct AguiTranscript {
    messages: Vec<Value>,
    calls: BTreeSet<String>,
    /// The message of the last reply, if it asks a question.
    asks: Option<MessageId>,
}

impl AguiTranscript {
    /// The transcript of these journal entries.
    pub(crate) fn from_entries(entries: &[JournalEntry]) -> Self {
        let mut transcript = Self::default();
        for item in entries.iter().flat_map(items) {
            transcript.push(&item);
        }
        transcript
    }

    /// The sequence number after which the latest run begins. The client already has its own message, so that entry is
    /// left out; the entry of a decision or an answer may contain its result, so it is included.
    pub(crate) fn latest_run_start(entries: &[JournalEntry]) -> u64 {
        let began = entries.iter().rev().find(|entry| starts_run(&entry.input));
        began.or(entries.first()).map_or(0, |entry| match &entry.input {
            Input::UserMessageSent(_) | Input::SessionCreated(_) => entry.seq,
            _ => entry.seq.saturating_sub(1),
        })
    }

    /// Adds an item.
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
                // A reply without text and calls has no message.
                if message.as_object().is_some_and(|message| message.len() > 2) {
                    self.messages.push(message);
                }
                self.calls.extend(reply.calls.iter().map(|call| call.id.clone()));
                self.asks = reply.asks.clone();
            }
            TranscriptItem::Result { id, call, content, .. } => {
                let message = json!({ "id": id, "role": "tool", "toolCallId": call, "content": content });
                self.messages.push(message);
            }
        }
    }

    /// The messages in order.
    pub(crate) fn messages(&self) -> &[Value] {
        &self.messages
    }

    /// Whether a message of this id exists.
    pub(crate) fn has(&self, id: &str) -> bool {
        self.messages.iter().any(|message| message["id"] == *id)
    }

    /// Whether the transcript contains a call.
    pub(crate) fn has_call(&self, id: &str) -> bool {
        self.calls.contains(id)
    }

    /// Whether a client that stores messages of these ids has the whole transcript.
    pub(crate) fn is_known(&self, ids: &[&str]) -> bool {
        self.messages.len() == ids.len() && ids.iter().all(|id| self.has(id))
    }

    /// The message of the last reply, if it asks a question.
    pub(crate) fn pending_question(&self) -> Option<&MessageId> {
        self.asks.as_ref()
    }
}

fn function(call: &TranscriptCall) -> Value {
    let function = json!({ "name": call.command, "arguments": call.arguments });
    json!({ "id": call.id, "type": "function", "function": function })
}
