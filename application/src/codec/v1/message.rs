//! Messages of the conversation, as stored in a log entry.

use entracte_domain::id::{CallId, MessageId, SessionId};
use entracte_domain::message::{self as domain, EnrichmentKind};
use entracte_domain::time::Timestamp;
use serde::{Deserialize, Serialize};

use super::ai::AiMessageV1;
use super::file::FileV1;
use super::leaf::RawV1;
use super::shape::{ShapeV1, by_hand, shape};
use super::speech::SpeechV1;
use super::system::SystemMessageV1;
use super::{domains, is_default, shapes};

/// The values of the surrounding entry, which a message may omit.
#[derive(Clone, Copy)]
pub(super) struct AroundV1<'a> {
    pub(super) session: &'a SessionId,
    pub(super) sequence: u64,
    pub(super) at: Timestamp,
    /// The text that the entry's input answered, and the call it answered.
    pub(super) answer: Option<&'a str>,
    pub(super) call: Option<&'a CallId>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MessageV1 {
    /// `None` if it is the id that the message's position implies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    /// `None` if it is the time of the entry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    at: Option<i64>,
    #[serde(default, skip_serializing_if = "is_default")]
    author: AuthorV1,
    body: BodyV1,
    #[serde(default, rename = "hidden", skip_serializing_if = "is_default")]
    exclude_from_prompt: bool,
}

impl MessageV1 {
    /// The shape of message number `ordinal` of its entry.
    pub(super) fn of(message: &domain::Message, ordinal: usize, around: AroundV1<'_>) -> Self {
        let domain::Message { id, at, author, body, exclude_from_prompt } = message;
        let expected = around.session.message_id(around.sequence, ordinal);
        Self {
            id: (*id != expected).then(|| id.as_str().to_owned()),
            at: (*at != around.at).then_some(at.0),
            author: author.into(),
            body: BodyV1::of(body, around),
            exclude_from_prompt: *exclude_from_prompt,
        }
    }

    /// Converts to a system message if it has no other content; otherwise returns itself.
    pub(super) fn into_plain_system(self) -> Result<SystemMessageV1, Box<Self>> {
        match self {
            Self {
                id: None,
                at: None,
                author: AuthorV1::System,
                body: BodyV1::System(message),
                exclude_from_prompt: false,
            } => Ok(message),
            other => Err(Box::new(other)),
        }
    }

    pub(super) fn into_domain(self, ordinal: usize, around: AroundV1<'_>) -> domain::Message {
        let expected = || around.session.message_id(around.sequence, ordinal);
        domain::Message {
            id: self.id.map_or_else(expected, MessageId::new),
            at: self.at.map_or(around.at, Timestamp),
            author: self.author.into(),
            body: self.body.into_domain(around),
            exclude_from_prompt: self.exclude_from_prompt,
        }
    }
}

impl From<SystemMessageV1> for MessageV1 {
    fn from(message: SystemMessageV1) -> Self {
        Self {
            id: None,
            at: None,
            author: AuthorV1::System,
            body: BodyV1::System(message),
            exclude_from_prompt: false,
        }
    }
}

shape! {
    #[derive(Default, PartialEq, Eq)]
    #[serde(rename_all = "snake_case", deny_unknown_fields)]
    enum AuthorV1 = domain::Author {
        Person(name: String),
        Model,
        #[default]System,
    }
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum BodyV1 {
    Rich(Vec<SegmentV1>),
    Text(SpeechV1),
    Ai(Box<AiMessageV1>),
    System(SystemMessageV1),
    Execution {
        trigger: String,
        #[serde(default, rename = "scheduled", skip_serializing_if = "Option::is_none")]
        scheduled_at: Option<i64>,
        #[serde(rename = "version")]
        automation_version: u32,
    },
}

impl BodyV1 {
    fn of(body: &domain::MessageBody, around: AroundV1<'_>) -> Self {
        match body {
            domain::MessageBody::Rich(domain::UserMessage { segments }) => Self::Rich(shapes(segments)),
            domain::MessageBody::Text(text) => Self::Text(text.into()),
            domain::MessageBody::Ai(message) => Self::Ai(Box::new(AiMessageV1::of(message, &[]))),
            domain::MessageBody::System(message) => Self::System(SystemMessageV1::of(message, around)),
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

    fn into_domain(self, around: AroundV1<'_>) -> domain::MessageBody {
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
    /// The kinds of enrichments as first stored: in lower case, unlike the words that people write.
    #[derive(Clone, Copy, PartialEq, Eq)]
    #[serde(rename_all = "snake_case")]
    pub(super) enum StoredKindV1 = EnrichmentKind {
        Pointer,
        Use,
        Create,
        ModifyConfig,
    }
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum SegmentV1 {
    Text(String),
    Enrichment { kind: StoredKindV1, config: RawV1, summary: String },
    File(FileV1),
}

by_hand!(SegmentV1 = domain::Segment);

impl From<&domain::Segment> for SegmentV1 {
    fn from(segment: &domain::Segment) -> Self {
        match segment {
            domain::Segment::Text(text) => Self::Text(text.clone()),
            domain::Segment::Enrichment(domain::Enrichment { kind, config, summary }) => Self::Enrichment {
                kind: kind.into(),
                config: RawV1(config.clone()),
                summary: summary.clone(),
            },
            domain::Segment::File(file) => Self::File(file.into()),
        }
    }
}

impl From<SegmentV1> for domain::Segment {
    fn from(segment: SegmentV1) -> Self {
        match segment {
            SegmentV1::Text(text) => Self::Text(text),
            SegmentV1::Enrichment { kind, config: RawV1(config), summary } => {
                Self::Enrichment(domain::Enrichment { kind: kind.into(), config, summary })
            }
            SegmentV1::File(file) => Self::File(file.into()),
        }
    }
}

/// A user message is the list of its segments.
impl ShapeV1<domain::UserMessage> for Vec<SegmentV1> {
    fn of(message: &domain::UserMessage) -> Self {
        let domain::UserMessage { segments } = message;
        ShapeV1::of(segments)
    }

    fn domain(self) -> domain::UserMessage {
        domain::UserMessage { segments: ShapeV1::domain(self) }
    }
}
