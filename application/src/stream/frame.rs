use std::sync::Arc;

use entracte_domain::id::{ApprovalId, CallId, Digest, MessageId, ModelCallId, SessionId};
use entracte_domain::plan::Plan;
use entracte_domain::session::{PhaseLabel, Standing};

use super::{Cursor, SupersessionReason};
use crate::journal::JournalEntry;
use crate::ports::ResourceChangeRow;

/// The most bytes of words in one frame.
pub const CHUNK_MAX: usize = 64 * 1024;

/// One thing that a reader is told.
#[derive(Clone, Debug, PartialEq)]
pub struct CursorFrame {
    /// How far they have read with it; none for what only says how something stands.
    pub at: Option<Cursor>,
    /// What it is.
    pub frame: StreamFrame,
}

/// What a reader is told. An *edge* is a committed row, told once; a *level* says how something stands now.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum StreamFrame {
    /// The first frame: where the reader stands.
    Hello {
        /// The numbering that cursors count in: another one, after a database was set up anew.
        timeline: String,
        /// Words come as they are said; else when they are stored.
        words: bool,
    },
    /// An entry was committed.
    Entry(Arc<JournalEntry>),
    /// An attempt of a model call began.
    StreamStart {
        /// It: the number of the entry in which it began.
        attempt: u64,
        /// Its round, and which attempt of it.
        number: (u32, u32),
        /// Its model call.
        model_call: ModelCallId,
    },
    /// A model says more.
    StreamChunk {
        /// The attempt.
        attempt: u64,
        /// Aloud, or thinking.
        channel: ReplyChannel,
        /// The byte of the whole text that it begins at.
        offset: u64,
        /// What.
        text: String,
    },
    /// All that an attempt said is stored.
    StreamComplete {
        /// The attempt.
        attempt: u64,
        /// Bytes of its text.
        bytes: u64,
        /// SHA-256 of it.
        digest: Digest,
        /// The message that holds it.
        message: MessageId,
    },
    /// What an attempt said is void.
    StreamSuperseded {
        /// The attempt.
        attempt: u64,
        /// Why.
        reason: SupersessionReason,
    },
    /// Something of the workspace was changed that no session takes in.
    Changed(ResourceChangeRow),
    /// How the session stands.
    Session(Box<SessionLevel>),
    /// There is no way on from the reader's cursor: they read anew what they show, and go on from this frame's.
    Resync(ResyncReason),
}

entracte_domain::words! {
    /// Which of the words of a model.
    pub enum ReplyChannel {
        /// What it says.
        Text = "text",
        /// What it thinks aloud.
        Reasoning = "reasoning",
    }
}

entracte_domain::words! {
    /// Why a reader has to begin anew.
    pub enum ResyncReason {
        /// What came next is no longer kept.
        Pruned = "pruned",
        /// The cursor is of a time after the last commit: the database was restored.
        Ahead = "ahead",
        /// The cursor counts in the numbers of another database.
        Timeline = "timeline",
    }
}

/// How a session stands.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SessionLevel {
    /// The session.
    pub session: SessionId,
    /// Where it stands.
    pub phase: PhaseLabel,
    /// Whether it may work.
    pub standing: Standing,
    /// Its place among those that wait for a slot, from 1.
    pub place: Option<usize>,
    /// What a person is asked.
    pub waiting: Vec<PendingInteraction>,
    /// The calls of the reply that is carried out.
    pub calls: Vec<SessionLevelCall>,
    /// The plan that a person approved last, and how far it is.
    pub plan: Option<Plan>,
}

/// A call of the reply that is carried out.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SessionLevelCall {
    /// The call.
    pub id: CallId,
    /// Its command.
    pub command: String,
    /// The word for its state.
    pub state: &'static str,
}

/// Something that a person is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PendingInteraction {
    /// To decide on a call.
    Approval {
        /// The approval.
        id: ApprovalId,
        /// What the decision is bound to.
        digest: Option<Digest>,
    },
    /// To answer.
    Question {
        /// What.
        text: String,
    },
}

/// The last place in `text` that is not after `most` bytes and parts no character.
pub(super) fn boundary(text: &str, most: usize) -> usize {
    if text.len() <= most {
        return text.len();
    }
    (0..=most).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}
