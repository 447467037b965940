use std::sync::Arc;

use entracte_domain::id::{ApprovalId, CallId, Digest, MessageId, ModelCallId, RoundAttempt, SessionId};
use entracte_domain::plan::Plan;
use entracte_domain::session::{PhaseLabel, Standing};

use super::{Cursor, SupersessionReason};
use crate::journal::JournalEntry;
use crate::ports::{CallProgress, ResourceChangeRow};

/// Maximum bytes of text in one frame.
pub const CHUNK_MAX: usize = 64 * 1024;

/// A frame with the reader's cursor after it.
#[derive(Clone, Debug, PartialEq)]
pub struct CursorFrame {
    /// The cursor after this frame; `None` for level frames.
    pub at: Option<Cursor>,
    /// The frame itself.
    pub frame: StreamFrame,
}

/// A message to a stream reader. An *edge* frame is a committed row and is sent once; a *level* frame gives
/// current state.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum StreamFrame {
    /// The first frame, with the reader's starting position.
    Hello {
        /// The numbering that cursors refer to; it changes when a database is set up anew.
        timeline: String,
        /// Whether text is sent while it streams; otherwise once it is stored.
        words: bool,
    },
    /// An entry was committed.
    Entry(Arc<JournalEntry>),
    /// An attempt of a model call began.
    StreamStart {
        /// The attempt: the number of the entry in which it began.
        attempt: u64,
        /// Round and number of the attempt.
        number: RoundAttempt,
        /// Id of its model call.
        model_call: ModelCallId,
    },
    /// More text of a model.
    StreamChunk {
        /// The attempt, by the number of its first entry.
        attempt: u64,
        /// Text or reasoning.
        channel: ReplyChannel,
        /// Byte offset of this piece in the whole text.
        offset: u64,
        /// The piece of text.
        text: String,
    },
    /// The complete text of an attempt is stored.
    StreamComplete {
        /// The attempt, by the number of its first entry.
        attempt: u64,
        /// Length of its text in bytes.
        bytes: u64,
        /// SHA-256 of its text.
        digest: Digest,
        /// The message that stores it.
        message: MessageId,
    },
    /// The text of an attempt is void.
    StreamSuperseded {
        /// The attempt, by the number of its first entry.
        attempt: u64,
        /// The reason.
        reason: SupersessionReason,
    },
    /// A change in the workspace that belongs to no session.
    Changed(ResourceChangeRow),
    /// The current state of the session.
    Session(Box<SessionLevel>),
    /// The stream cannot continue from the reader's cursor: the reader must reload its data and continue from this
    /// frame's cursor.
    Resync(ResyncReason),
}

entracte_domain::words! {
    /// The kind of a model's text.
    pub enum ReplyChannel {
        /// The answer.
        Text = "text",
        /// The reasoning.
        Reasoning = "reasoning",
    }
}

entracte_domain::words! {
    /// Why a reader must reload its data.
    pub enum ResyncReason {
        /// The next rows were deleted by retention.
        Pruned = "pruned",
        /// The cursor is later than the last commit: the database was restored.
        Ahead = "ahead",
        /// The cursor uses the numbers of another database.
        Timeline = "timeline",
    }
}

/// The current state of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SessionLevel {
    /// The session.
    pub session: SessionId,
    /// Phase of the session.
    pub phase: PhaseLabel,
    /// Whether the session may work.
    pub standing: Standing,
    /// Its position among the sessions queued for a slot, from 1.
    pub place: Option<usize>,
    /// The pending questions and approvals, also those of the agents below it that run.
    pub waiting: Vec<PendingInteraction>,
    /// The calls of the current reply.
    pub calls: Vec<SessionLevelCall>,
    /// The last approved plan, with its progress.
    pub plan: Option<Plan>,
}

/// A call of the current reply.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SessionLevelCall {
    /// Id of the call.
    pub id: CallId,
    /// Name of its command.
    pub command: String,
    /// Keyword of its state.
    pub state: &'static str,
    /// How far it is while it runs, if it says so.
    pub progress: Option<CallProgress>,
}

/// A pending question or approval, of a session or of an agent below it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PendingInteraction {
    /// The session that waits.
    pub session: SessionId,
    /// The names of the agents from the first one below the followed session down to the one that waits; empty if that
    /// session itself waits.
    pub agents: Vec<String>,
    /// What it waits for.
    pub subject: PendingSubject,
}

/// What a session waits for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PendingSubject {
    /// A decision on a call.
    Approval {
        /// Id of the approval.
        id: ApprovalId,
        /// Digest of the card that the decision is bound to.
        digest: Option<Digest>,
    },
    /// An answer to a question.
    Question {
        /// Text of the question.
        text: String,
    },
}

/// The last character boundary in `text` at or before `most` bytes.
pub(super) fn boundary(text: &str, most: usize) -> usize {
    if text.len() <= most {
        return text.len();
    }
    (0..=most).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}
