//! Shapes of stream frames.

use std::borrow::Cow;

use entracte_application::codec::CodecError;
use entracte_application::journal::JournalEntry;
use entracte_application::json_value::ExactJson;
use entracte_application::ports::ResourceChangeRow;
use entracte_application::stream::{
    PendingInteraction, PendingSubject, SessionLevel, SessionLevelCall, StreamFrame,
};
use entracte_domain::session::{JournalNote, LogAppend};
use entracte_domain::value::JsonValue;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::approved_plan::{PlanShape, PlanStepShape};
use super::entry::{EntryShape, stored_text};
use super::iso;
use super::message::MessageShape;
use super::tagged::read_by_tag;

read_by_tag! {
    /// A frame of a stream: the data of a server-sent event, whose `event` is its type and whose `id` is the cursor after it; or
    /// a message of a WebSocket, which holds the cursor as `id`. Frames without a cursor leave it as it is. Readers ignore types
    /// and fields that they do not know.
    #[derive(Clone, Debug, Serialize, ToSchema)]
    #[serde(tag = "type", rename_all = "snake_case")]
    pub enum FrameShape {
        /// The first frame: the stream goes on from the cursor that was asked for.
        Hello {
            /// The numbering that cursors refer to; another one when the database was set up anew.
            timeline: String,
            /// `serve`.
            owner: Cow<'static, str>,
            /// Whether the stream has the words of models: that of a session does.
            words: bool,
        },
        /// An entry of the log: what happened in one commit.
        Entry {
            /// Its number in the workspace.
            seq: u64,
            /// Its session.
            session: String,
            /// Its number in the session, from 1.
            sequence: u64,
            /// When.
            at: String,
            /// What came in, such as `UserMessage` or `ModelReplied`.
            label: Cow<'static, str>,
            /// Who did it; null if nobody did.
            author: Option<String>,
            /// The messages that it added to the conversation.
            messages: Vec<MessageShape>,
            /// What it noted beside them, by name, such as `AttemptStarted`.
            notes: Vec<Cow<'static, str>>,
            /// The plans that were approved, and the steps that went on.
            plan: Vec<PlanNewsShape>,
            /// The JSON text of it as it is stored; null unless the stream was asked for with `stored`.
            entry: Option<String>,
        },
        /// A model begins to answer. What was shown of this attempt before goes: all its words come from here on.
        StreamStart {
            /// The attempt.
            attempt: u64,
            /// Its model call.
            model_call: String,
        },
        /// More words of a model. They are appended to those of the same attempt and channel.
        StreamChunk {
            /// The attempt.
            attempt: u64,
            /// `text` or `reasoning`.
            channel: Cow<'static, str>,
            /// Where the text begins, in bytes of UTF-8 of all words of its channel. Words before it that are there already are
            /// not shown twice.
            offset: u64,
            /// The words.
            text: String,
        },
        /// The words of an attempt are whole and stored: the message takes their place.
        StreamComplete {
            /// The attempt.
            attempt: u64,
            /// Length of its words, in bytes of UTF-8.
            bytes: u64,
            /// SHA-256 of its words.
            sha256: String,
            /// The message that holds them.
            message: String,
        },
        /// The words of an attempt do not count: whoever shows them takes them away.
        StreamSuperseded {
            /// The attempt.
            attempt: u64,
            /// `lost`, `retried`, `interrupted`, `invalid` or `corrected`.
            reason: Cow<'static, str>,
        },
        /// Something of the workspace that belongs to no session has changed: read it again.
        Changed {
            /// Its number in the workspace; null for lists of which the log does not tell.
            seq: Option<u64>,
            /// Its kind, such as `automation`.
            kind: String,
            /// Its id; null if the whole list may have changed.
            changed: Option<String>,
            /// Its revision, if it has one.
            revision: Option<u64>,
            /// Whether it is gone.
            gone: bool,
        },
        /// How the session stands now; comes after each entry, and replaces the one before.
        Session(SessionLevelShape),
        /// The stream cannot go on from the cursor that was asked for: forget what was read, read the session or the workspace
        /// again, and go on from the cursor of this frame.
        Resync {
            /// `pruned`, `ahead` or `timeline`.
            reason: Cow<'static, str>,
        },
        /// Nothing happened for a while, and the stream is still open.
        Beat,
        /// The last frame.
        Goodbye {
            /// `age`, `shutdown`, `takeover`, `revoked`, `gone` or `replaced`.
            reason: Cow<'static, str>,
            /// When to open the stream again, in milliseconds from now.
            retry_ms: u64,
        },
        /// A frame of a later version.
        Other,
    }

    #[derive(Deserialize)]
    #[serde(remote = "FrameShape", rename_all = "snake_case")]
    mirror! {
        FrameShapeByType by "type", units ["beat", "other"], [
            "hello",
            "entry",
            "stream_start",
            "stream_chunk",
            "stream_complete",
            "stream_superseded",
            "changed",
            "session",
            "resync",
            "goodbye"
        ] else Other
    }
}

/// How a session stands.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct SessionLevelShape {
    /// The session.
    pub session: String,
    /// Its phase.
    pub phase: Cow<'static, str>,
    /// Whether it may work: `active`, `suspended` or another standing.
    pub standing: Cow<'static, str>,
    /// Its place among those that wait for a slot, from 1.
    pub place: Option<usize>,
    /// What waits for a person.
    pub waiting: Vec<PendingInteractionShape>,
    /// The calls of the latest reply.
    pub calls: Vec<LevelCallShape>,
    /// The plan that was approved last, with its progress.
    pub plan: Option<PlanShape>,
}

/// What waits for a person, in the session or in an agent below it.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct PendingInteractionShape {
    /// The session that waits.
    pub session: String,
    /// The names of the agents from the first one below the session that was asked about down to the one that waits; empty
    /// if the session itself waits.
    pub agents: Vec<String>,
    /// What it waits for.
    #[serde(flatten)]
    pub subject: PendingSubjectShape,
}

/// A decision or an answer.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(untagged)]
pub enum PendingSubjectShape {
    /// A decision.
    Approval {
        /// The approval.
        approval: String,
        /// The digest of its card.
        digest: Option<String>,
    },
    /// An answer.
    Question {
        /// What is asked.
        question: String,
    },
}

/// A call of the latest reply.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct LevelCallShape {
    /// The call.
    pub id: String,
    /// Its command.
    pub command: String,
    /// Its state.
    pub state: Cow<'static, str>,
    /// How far it is while it runs, if it says so.
    pub progress: Option<CallProgressShape>,
}

/// How far a running call is.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct CallProgressShape {
    /// What it does now; empty if it does not say.
    pub text: String,
    /// The done part, from 0 to 100; null if it is not known.
    pub percent: Option<u8>,
}

/// What happened to a plan.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(untagged)]
pub enum PlanNewsShape {
    /// It was approved.
    Approved {
        /// The plan.
        approved: PlanShape,
    },
    /// One of its steps went on.
    Stepped {
        /// The plan.
        digest: String,
        /// The step.
        step: PlanStepShape,
    },
}

impl FrameShape {
    /// The type of the frame, and its data, which includes the type.
    pub(crate) fn into_parts(self) -> (&'static str, JsonValue) {
        let kind = self.kind();
        // Every field has a form in JSON.
        let ExactJson(data) = ExactJson::from_shape(&self).unwrap_or_default();
        (kind, data)
    }

    const fn kind(&self) -> &'static str {
        match self {
            Self::Hello { .. } => "hello",
            Self::Entry { .. } => "entry",
            Self::StreamStart { .. } => "stream_start",
            Self::StreamChunk { .. } => "stream_chunk",
            Self::StreamComplete { .. } => "stream_complete",
            Self::StreamSuperseded { .. } => "stream_superseded",
            Self::Changed { .. } => "changed",
            Self::Session(_) => "session",
            Self::Resync { .. } => "resync",
            Self::Beat => "beat",
            Self::Goodbye { .. } => "goodbye",
            Self::Other => "other",
        }
    }

    /// The frame of an entry with its stored form.
    pub fn with_stored_entry(entry: &JournalEntry) -> Self {
        let mut frame = entry_shape(entry);
        if let (Self::Entry { entry: stored, .. }, Ok(shape)) = (&mut frame, EntryShape::new(entry)) {
            *stored = Some(shape.entry.get().to_owned());
        }
        frame
    }

    /// The entry of a frame that has its stored form; `None` for other frames.
    ///
    /// # Errors
    /// When a newer Entracte wrote it, or it is damaged.
    pub fn stored_entry(&self) -> Result<Option<JournalEntry>, CodecError> {
        let Self::Entry { seq, session, sequence, at, label, entry: Some(entry), .. } = self else {
            return Ok(None);
        };
        let (session, at, label) = (session.clone(), at.clone(), label.clone());
        let (entry, model_call) = (stored_text(entry)?, None);
        let shape = EntryShape { seq: *seq, session, sequence: *sequence, at, label, model_call, entry };
        shape.decode().map(Some)
    }

    /// A list of which the log does not tell may have changed.
    pub(crate) fn list_changed(kind: &str) -> Self {
        Self::Changed { seq: None, kind: kind.to_owned(), changed: None, revision: None, gone: false }
    }
}

impl From<&StreamFrame> for FrameShape {
    fn from(frame: &StreamFrame) -> Self {
        match frame {
            StreamFrame::Hello { timeline, words } => {
                Self::Hello { timeline: timeline.clone(), owner: "serve".into(), words: *words }
            }
            StreamFrame::Entry(entry) => entry_shape(entry),
            StreamFrame::StreamStart { attempt, model_call, .. } => {
                Self::StreamStart { attempt: *attempt, model_call: model_call.as_str().to_owned() }
            }
            StreamFrame::StreamChunk { attempt, channel, offset, text } => Self::StreamChunk {
                attempt: *attempt,
                channel: channel.word().into(),
                offset: *offset,
                text: text.clone(),
            },
            StreamFrame::StreamComplete { attempt, bytes, digest, message } => Self::StreamComplete {
                attempt: *attempt,
                bytes: *bytes,
                sha256: digest.as_str().to_owned(),
                message: message.as_str().to_owned(),
            },
            StreamFrame::StreamSuperseded { attempt, reason } => {
                Self::StreamSuperseded { attempt: *attempt, reason: reason.word().into() }
            }
            StreamFrame::Changed(change) => change_shape(change),
            StreamFrame::Session(level) => Self::Session(SessionLevelShape::from(&**level)),
            StreamFrame::Resync(reason) => Self::Resync { reason: reason.word().into() },
            // New frame types may be added. Readers ignore unknown types, and keep their cursor.
            _ => Self::Other,
        }
    }
}

fn change_shape(change: &ResourceChangeRow) -> FrameShape {
    FrameShape::Changed {
        seq: Some(change.seq),
        kind: change.kind.word().to_owned(),
        changed: Some(change.id.clone()),
        revision: change.revision,
        gone: change.gone,
    }
}

fn entry_shape(entry: &JournalEntry) -> FrameShape {
    let properties = entry.input.properties();
    let notes = entry.appended.iter().filter_map(|appended| match appended {
        LogAppend::Note(noted) => Some(note(noted).into()),
        LogAppend::Message(_) => None,
    });
    FrameShape::Entry {
        seq: entry.seq,
        session: entry.session.as_str().to_owned(),
        sequence: entry.sequence,
        at: iso(entry.at),
        label: properties.kind.word().into(),
        author: properties.author.map(str::to_owned),
        messages: entry.conversation().iter().map(MessageShape::from).collect(),
        notes: notes.collect(),
        plan: entry.appended.iter().filter_map(plan_news).collect(),
        entry: None,
    }
}

/// The plan information in an entry: the whole plan if one was approved, or the progress of a step.
fn plan_news(appended: &LogAppend) -> Option<PlanNewsShape> {
    match appended {
        LogAppend::Note(JournalNote::PlanApproved(plan)) => {
            Some(PlanNewsShape::Approved { approved: PlanShape::from(plan) })
        }
        LogAppend::Note(JournalNote::PlanStepped { digest, step }) => Some(PlanNewsShape::Stepped {
            digest: digest.as_str().to_owned(),
            step: PlanStepShape::from(step),
        }),
        LogAppend::Note(_) | LogAppend::Message(_) => None,
    }
}

impl From<&SessionLevel> for SessionLevelShape {
    fn from(level: &SessionLevel) -> Self {
        Self {
            session: level.session.as_str().to_owned(),
            phase: level.phase.word().into(),
            standing: level.standing.word().into(),
            place: level.place,
            waiting: level.waiting.iter().map(PendingInteractionShape::from).collect(),
            calls: level.calls.iter().map(LevelCallShape::from).collect(),
            plan: level.plan.as_ref().map(PlanShape::from),
        }
    }
}

impl From<&PendingInteraction> for PendingInteractionShape {
    fn from(pending: &PendingInteraction) -> Self {
        let subject = match &pending.subject {
            PendingSubject::Approval { id, digest } => PendingSubjectShape::Approval {
                approval: id.as_str().to_owned(),
                digest: digest.as_ref().map(|digest| digest.as_str().to_owned()),
            },
            PendingSubject::Question { text } => PendingSubjectShape::Question { question: text.clone() },
        };
        Self { session: pending.session.as_str().to_owned(), agents: pending.agents.clone(), subject }
    }
}

impl From<&SessionLevelCall> for LevelCallShape {
    fn from(call: &SessionLevelCall) -> Self {
        let progress = call.progress.as_ref();
        Self {
            id: call.id.as_str().to_owned(),
            command: call.command.clone(),
            state: call.state.into(),
            progress: progress.map(|now| CallProgressShape { text: now.text.clone(), percent: now.percent }),
        }
    }
}

/// The name of a journal note.
const fn note(note: &JournalNote) -> &'static str {
    match note {
        JournalNote::MessagesJoined(_) => "MessagesJoined",
        JournalNote::EnrichmentsExecuted => "EnrichmentsExecuted",
        JournalNote::RoundStarted { .. } => "RoundStarted",
        JournalNote::AttemptStarted { .. } => "AttemptStarted",
        JournalNote::AiResponseParsed => "AiResponseParsed",
        JournalNote::ParseErrorOccurred { .. } => "ParseErrorOccurred",
        JournalNote::DataQueriesExecuted => "DataQueriesExecuted",
        JournalNote::ActionsExecuted => "ActionsExecuted",
        JournalNote::ActionFailureOccurred => "ActionFailureOccurred",
        JournalNote::NetworkRetryScheduled { .. } => "NetworkRetryScheduled",
        JournalNote::RetryScheduled { .. } => "RetryScheduled",
        JournalNote::PassedThrough(_) => "PassedThrough",
        JournalNote::LimitReached(_) => "LimitReached",
        JournalNote::GenerationBegun(_) => "GenerationBegun",
        JournalNote::FellBack { .. } => "FellBack",
        JournalNote::ApprovedByPolicy { .. } => "ApprovedByPolicy",
        JournalNote::ApprovalAskedAgain { .. } => "ApprovalAskedAgain",
        JournalNote::ApprovedByRule { .. } => "ApprovedByRule",
        JournalNote::PlanApproved(_) => "PlanApproved",
        JournalNote::PlanStepped { .. } => "PlanStepped",
        JournalNote::WaitExpired => "WaitExpired",
        JournalNote::SessionSuspended => "SessionSuspended",
        JournalNote::SessionResumed => "SessionResumed",
        JournalNote::SessionParked => "SessionParked",
        JournalNote::ReplacedInQueue => "ReplacedInQueue",
        JournalNote::Quarantined => "Quarantined",
        JournalNote::ClosureDelayElapsed => "ClosureDelayElapsed",
        JournalNote::SessionCompleted { .. } => "SessionCompleted",
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use entracte_application::codec::decode_entry;
    use entracte_application::json_value::to_serde;
    use entracte_application::samples;
    use entracte_application::stream::{ReplyChannel, ResyncReason, SupersessionReason};
    use serde_json::{Value, json};

    use super::*;

    /// The schema that a reference of the document leads to.
    fn resolve<'a>(schema: &'a Value, document: &'a Value) -> &'a Value {
        match schema["$ref"].as_str().and_then(|reference| reference.strip_prefix('#')) {
            Some(place) => document.pointer(place).unwrap(),
            None => schema,
        }
    }

    fn frames() -> Vec<FrameShape> {
        let level = SessionLevelShape {
            session: "ses_7k".to_owned(),
            phase: "WAITING_VALIDATION".into(),
            standing: "active".into(),
            place: Some(1),
            waiting: vec![
                PendingInteractionShape {
                    session: "ses_7k".to_owned(),
                    agents: Vec::new(),
                    subject: PendingSubjectShape::Approval {
                        approval: "apr_7k_3_0".to_owned(),
                        digest: Some("d1".to_owned()),
                    },
                },
                PendingInteractionShape {
                    session: "ses_7k-3-1".to_owned(),
                    agents: vec!["Clerk".to_owned()],
                    subject: PendingSubjectShape::Question { question: "Which?".to_owned() },
                },
            ],
            calls: vec![LevelCallShape {
                id: "cal_7k_3_0".to_owned(),
                command: "zones.create".to_owned(),
                state: "started".into(),
                progress: Some(CallProgressShape { text: "half".to_owned(), percent: Some(50) }),
            }],
            plan: None,
        };
        let text = |channel: ReplyChannel| FrameShape::StreamChunk {
            attempt: 1041,
            channel: channel.word().into(),
            offset: 0,
            text: "At ni".to_owned(),
        };
        let entry = decode_entry(&samples::user_message_row("Hello.").unwrap()).unwrap();
        let mut frames = vec![
            FrameShape::Hello { timeline: "tl_9".to_owned(), owner: "serve".into(), words: true },
            entry_shape(&entry),
            FrameShape::with_stored_entry(&entry),
            FrameShape::StreamStart { attempt: 1041, model_call: "mc_7k_3_1".to_owned() },
            text(ReplyChannel::Text),
            text(ReplyChannel::Reasoning),
            FrameShape::StreamComplete {
                attempt: 1041,
                bytes: 5,
                sha256: "00".to_owned(),
                message: "msg_7k_4_0".to_owned(),
            },
            FrameShape::list_changed("target"),
            FrameShape::Session(level),
            FrameShape::Beat,
            FrameShape::Goodbye { reason: "age".into(), retry_ms: 100 },
            FrameShape::Other,
        ];
        frames.extend(
            SupersessionReason::ALL
                .iter()
                .map(|reason| FrameShape::StreamSuperseded { attempt: 1041, reason: reason.word().into() }),
        );
        frames.extend(
            ResyncReason::ALL.iter().map(|reason| FrameShape::Resync { reason: reason.word().into() }),
        );
        frames
    }

    /// Each frame validates against its schema in the document, which names each of its fields and no type that does not
    /// exist.
    #[test]
    fn every_frame_has_a_schema() {
        let document = crate::openapi::build_openapi();
        let whole =
            json!({ "$ref": "#/components/schemas/FrameShape", "components": document["components"] });
        let validator = jsonschema::validator_for(&whole).unwrap();
        let mut declared = BTreeMap::new();
        for alternative in document["components"]["schemas"]["FrameShape"]["oneOf"].as_array().unwrap() {
            let schema = resolve(alternative, &document);
            let kind = resolve(&schema["properties"]["type"], &document);
            let kind = kind["const"].as_str().or(kind["enum"][0].as_str()).unwrap();
            declared.insert(kind.to_owned(), schema.clone());
        }
        let mut told = BTreeSet::new();
        for frame in frames() {
            let (kind, data) = frame.into_parts();
            let data = to_serde(&data);
            let faults: Vec<String> = validator.iter_errors(&data).map(|fault| fault.to_string()).collect();
            assert!(faults.is_empty(), "{data}: {faults:?}");
            let schema = &declared[kind];
            for field in data.as_object().unwrap().keys() {
                assert!(schema["properties"].get(field).is_some(), "{kind}: {field} has no schema");
            }
            told.insert(kind.to_owned());
        }
        assert_eq!(told, declared.into_keys().collect::<BTreeSet<_>>());
    }
}
