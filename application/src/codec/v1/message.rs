//! Messages of the conversation, as an entry of the log brings them.

use entracte_domain::command::CallStatus;
use entracte_domain::id::{CallId, MessageId, SessionId};
use entracte_domain::message::{self as domain, EnrichmentKind, SystemKind};
use entracte_domain::time::Timestamp;
use serde::{Deserialize, Serialize};

use super::ai::AiMessage;
use super::leaf::{JsonText, Raw};
use super::words::Word;
use super::{domains, is_default, shapes};

/// What the entry around a message says, so that the message need not.
#[derive(Clone, Copy)]
pub(super) struct Around<'a> {
    pub(super) session: &'a SessionId,
    pub(super) sequence: u64,
    pub(super) at: Timestamp,
    /// What the entry's input answered.
    pub(super) answer: Option<&'a str>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Message {
    /// None when it is the one that its place gives.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    /// None when it is the entry's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    at: Option<i64>,
    #[serde(default, skip_serializing_if = "is_default")]
    author: Author,
    body: Body,
    #[serde(default, rename = "hidden", skip_serializing_if = "is_default")]
    exclude_from_prompt: bool,
}

impl Message {
    /// The message that is number `ordinal` of its entry.
    pub(super) fn of(message: &domain::Message, ordinal: usize, around: Around<'_>) -> Self {
        let domain::Message { id, at, author, body, exclude_from_prompt } = message;
        let expected = around.session.message(around.sequence, ordinal);
        Self {
            id: (*id != expected).then(|| id.as_str().to_owned()),
            at: (*at != around.at).then_some(at.0),
            author: author.into(),
            body: Body::of(body, around),
            exclude_from_prompt: *exclude_from_prompt,
        }
    }

    pub(super) fn into_domain(self, ordinal: usize, around: Around<'_>) -> domain::Message {
        let expected = || around.session.message(around.sequence, ordinal);
        domain::Message {
            id: self.id.map_or_else(expected, MessageId::new),
            at: self.at.map_or(around.at, Timestamp),
            author: self.author.into(),
            body: self.body.into_domain(around),
            exclude_from_prompt: self.exclude_from_prompt,
        }
    }
}

#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum Author {
    Person(String),
    Model,
    #[default]
    System,
}

impl From<&domain::Author> for Author {
    fn from(author: &domain::Author) -> Self {
        match author {
            domain::Author::Person(name) => Self::Person(name.clone()),
            domain::Author::Model => Self::Model,
            domain::Author::System => Self::System,
        }
    }
}

impl From<Author> for domain::Author {
    fn from(author: Author) -> Self {
        match author {
            Author::Person(name) => Self::Person(name),
            Author::Model => Self::Model,
            Author::System => Self::System,
        }
    }
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum Body {
    Rich(Vec<Segment>),
    Text(String),
    Ai(Box<AiMessage>),
    System(SystemMessage),
    Execution {
        trigger: String,
        #[serde(default, rename = "scheduled", skip_serializing_if = "Option::is_none")]
        scheduled_at: Option<i64>,
        #[serde(rename = "version")]
        automation_version: u32,
    },
}

impl Body {
    fn of(body: &domain::Body, around: Around<'_>) -> Self {
        match body {
            domain::Body::Rich(domain::UserMessage { segments }) => Self::Rich(shapes(segments)),
            domain::Body::Text(text) => Self::Text(text.clone()),
            domain::Body::Ai(message) => Self::Ai(Box::new(AiMessage::of(message, &[]))),
            domain::Body::System(message) => Self::System(SystemMessage::of(message, around)),
            domain::Body::Execution(metadata) => {
                let domain::ExecutionMetadata { trigger, scheduled_at, automation_version } = metadata;
                Self::Execution {
                    trigger: trigger.clone(),
                    scheduled_at: scheduled_at.map(|at| at.0),
                    automation_version: *automation_version,
                }
            }
        }
    }

    fn into_domain(self, around: Around<'_>) -> domain::Body {
        match self {
            Self::Rich(segments) => domain::Body::Rich(domain::UserMessage { segments: domains(segments) }),
            Self::Text(text) => domain::Body::Text(text),
            Self::Ai(message) => domain::Body::Ai(message.into_domain(&[])),
            Self::System(message) => domain::Body::System(message.into_domain(around)),
            Self::Execution { trigger, scheduled_at, automation_version } => {
                domain::Body::Execution(domain::ExecutionMetadata {
                    trigger,
                    scheduled_at: scheduled_at.map(Timestamp),
                    automation_version,
                })
            }
        }
    }
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum Segment {
    Text(String),
    Enrichment { kind: Word<EnrichmentKind>, config: Raw, summary: String },
}

impl From<&domain::Segment> for Segment {
    fn from(segment: &domain::Segment) -> Self {
        match segment {
            domain::Segment::Text(text) => Self::Text(text.clone()),
            domain::Segment::Enrichment(domain::Enrichment { kind, config, summary }) => {
                Self::Enrichment { kind: kind.into(), config: Raw(config.clone()), summary: summary.clone() }
            }
        }
    }
}

impl From<Segment> for domain::Segment {
    fn from(segment: Segment) -> Self {
        match segment {
            Segment::Text(text) => Self::Text(text),
            Segment::Enrichment { kind, config: Raw(config), summary } => {
                Self::Enrichment(domain::Enrichment { kind: kind.0, config, summary })
            }
        }
    }
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SystemMessage {
    kind: Word<SystemKind>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    results: Vec<CommandResult>,
    #[serde(default, skip_serializing_if = "is_default")]
    summary: String,
    #[serde(default, rename = "data", skip_serializing_if = "Option::is_none")]
    formatted_data: Option<Data>,
}

impl SystemMessage {
    fn of(message: &domain::SystemMessage, around: Around<'_>) -> Self {
        let domain::SystemMessage { kind, results, summary, formatted_data } = message;
        Self {
            kind: kind.into(),
            results: results.iter().map(|result| CommandResult::of(result, around)).collect(),
            summary: summary.clone(),
            formatted_data: formatted_data
                .as_ref()
                .map(|text| if *text == told(results) { Data::AsResults } else { Data::Text(text.into()) }),
        }
    }

    fn into_domain(self, around: Around<'_>) -> domain::SystemMessage {
        let results: Vec<domain::CommandResult> =
            self.results.into_iter().map(|result| result.into_domain(around)).collect();
        domain::SystemMessage {
            kind: self.kind.0,
            summary: self.summary,
            formatted_data: self.formatted_data.map(|data| match data {
                Data::AsResults => told(&results),
                Data::Text(JsonText(text)) => text,
            }),
            results,
        }
    }
}

/// Data for the model.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum Data {
    /// The results, in the words of [`told`].
    AsResults,
    Text(JsonText),
}

/// Results as they were told when version 1 was written. Part of the format: it must stay as it is, also when
/// the domain tells them in another way; what is told otherwise is kept as text.
fn told(results: &[domain::CommandResult]) -> String {
    let parts: Vec<String> =
        results.iter().map(|result| format!("## {}\n{}", result.command, result.content)).collect();
    parts.join("\n\n")
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct CommandResult {
    call: String,
    #[serde(default, rename = "pid", skip_serializing_if = "Option::is_none")]
    provider_call_id: Option<String>,
    command: String,
    #[serde(default, skip_serializing_if = "is_default")]
    status: Word<CallStatus>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    code: Option<String>,
    /// None when it is what the entry's input answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    content: Option<JsonText>,
}

impl CommandResult {
    fn of(result: &domain::CommandResult, around: Around<'_>) -> Self {
        let domain::CommandResult { call, provider_call_id, command, status, code, content } = result;
        Self {
            call: call.as_str().to_owned(),
            provider_call_id: provider_call_id.clone(),
            command: command.clone(),
            status: status.into(),
            code: code.clone(),
            content: (around.answer != Some(content.as_str())).then(|| content.into()),
        }
    }

    fn into_domain(self, around: Around<'_>) -> domain::CommandResult {
        let answer = || around.answer.unwrap_or_default().to_owned();
        domain::CommandResult {
            call: CallId::new(self.call),
            provider_call_id: self.provider_call_id,
            command: self.command,
            status: self.status.0,
            code: self.code,
            content: self.content.map_or_else(answer, |JsonText(text)| text),
        }
    }
}
