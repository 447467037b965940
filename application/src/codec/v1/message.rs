//! Messages of the conversation, as an entry of the log brings them.

use entracte_domain::id::{CallId, MessageId, SessionId};
use entracte_domain::message::{self as domain, EnrichmentKind};
use entracte_domain::time::Timestamp;
use serde::{Deserialize, Serialize};

use super::ai::AiMessage;
use super::leaf::Raw;
use super::shape::{Shape, by_hand, shape};
use super::speech::Speech;
use super::system::SystemMessage;
use super::{domains, is_default, shapes};

/// What the entry around a message says, so that the message need not.
#[derive(Clone, Copy)]
pub(super) struct Around<'a> {
    pub(super) session: &'a SessionId,
    pub(super) sequence: u64,
    pub(super) at: Timestamp,
    /// What the entry's input answered, and for which call.
    pub(super) answer: Option<&'a str>,
    pub(super) call: Option<&'a CallId>,
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

    /// The system message that this is and nothing more, or itself.
    pub(super) fn into_plain_system(self) -> Result<SystemMessage, Box<Self>> {
        match self {
            Self {
                id: None,
                at: None,
                author: Author::System,
                body: Body::System(message),
                exclude_from_prompt: false,
            } => Ok(message),
            other => Err(Box::new(other)),
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

impl From<SystemMessage> for Message {
    fn from(message: SystemMessage) -> Self {
        Self {
            id: None,
            at: None,
            author: Author::System,
            body: Body::System(message),
            exclude_from_prompt: false,
        }
    }
}

shape! {
    #[derive(Default, PartialEq, Eq)]
    #[serde(rename_all = "snake_case", deny_unknown_fields)]
    enum Author = domain::Author {
        Person(name: String),
        Model,
        #[default]System,
    }
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum Body {
    Rich(Vec<Segment>),
    Text(Speech),
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
    fn of(body: &domain::MessageBody, around: Around<'_>) -> Self {
        match body {
            domain::MessageBody::Rich(domain::UserMessage { segments }) => Self::Rich(shapes(segments)),
            domain::MessageBody::Text(text) => Self::Text(text.into()),
            domain::MessageBody::Ai(message) => Self::Ai(Box::new(AiMessage::of(message, &[]))),
            domain::MessageBody::System(message) => Self::System(SystemMessage::of(message, around)),
            domain::MessageBody::Execution(metadata) => {
                let domain::ExecutionMetadata { trigger, scheduled_at, automation_version } = metadata;
                Self::Execution {
                    trigger: trigger.clone(),
                    scheduled_at: scheduled_at.map(|at| at.0),
                    automation_version: *automation_version,
                }
            }
        }
    }

    fn into_domain(self, around: Around<'_>) -> domain::MessageBody {
        match self {
            Self::Rich(segments) => {
                domain::MessageBody::Rich(domain::UserMessage { segments: domains(segments) })
            }
            Self::Text(text) => domain::MessageBody::Text(text.into()),
            Self::Ai(message) => domain::MessageBody::Ai(message.into_domain(&[])),
            Self::System(message) => domain::MessageBody::System(message.into_domain(around)),
            Self::Execution { trigger, scheduled_at, automation_version } => {
                domain::MessageBody::Execution(domain::ExecutionMetadata {
                    trigger,
                    scheduled_at: scheduled_at.map(Timestamp),
                    automation_version,
                })
            }
        }
    }
}

shape! {
    /// The kinds of enrichments, as they were first stored: in small letters, unlike the words that people write.
    #[derive(Clone, Copy, PartialEq, Eq)]
    #[serde(rename_all = "snake_case")]
    pub(super) enum StoredKind = EnrichmentKind {
        Pointer,
        Use,
        Create,
        ModifyConfig,
    }
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum Segment {
    Text(String),
    Enrichment { kind: StoredKind, config: Raw, summary: String },
}

by_hand!(Segment = domain::Segment);

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
                Self::Enrichment(domain::Enrichment { kind: kind.into(), config, summary })
            }
        }
    }
}

/// A message of a person is the list of its segments.
impl Shape<domain::UserMessage> for Vec<Segment> {
    fn of(message: &domain::UserMessage) -> Self {
        let domain::UserMessage { segments } = message;
        Shape::of(segments)
    }

    fn domain(self) -> domain::UserMessage {
        domain::UserMessage { segments: Shape::domain(self) }
    }
}
