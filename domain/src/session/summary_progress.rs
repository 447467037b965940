//! The progress of a summary that is being made.

use crate::id::Digest;
use crate::session::{SummaryItem, SummaryMethod};
use crate::time::Timestamp;

/// A summary that is being made.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SummaryProgress {
    /// Method of the summary.
    pub method: SummaryMethod,
    /// Maximum tokens to send; `None` if the provider refused the request as too long.
    pub budget: Option<u64>,
    /// Faults of the first answer; empty before one arrived.
    pub faults: Vec<String>,
    /// Progress if the conversation is read in pieces; `None` before the first piece was read.
    pub piece: Option<Box<SummaryPiece>>,
}

impl SummaryProgress {
    /// A summary that begins.
    pub fn new(method: SummaryMethod, budget: Option<u64>) -> Self {
        Self { method, budget, faults: Vec::new(), piece: None }
    }
}

/// Progress through a conversation that exceeds the model's context window.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SummaryPiece {
    /// Items written by the model so far.
    pub items: Vec<SummaryItem>,
    /// Bytes of the plain-text conversation read so far.
    pub read: u64,
}

/// The request for a summary, stored so that it can be rebuilt.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SummaryRequest {
    /// Instruction at the end of the request.
    pub ask: String,
    /// Maximum bytes of the plain-text conversation, from its end; `None` if the request is the round's own.
    pub in_words: Option<u64>,
    /// Start offset in the plain text, in bytes; `None` for its end, and in journals of earlier versions.
    pub from: Option<u64>,
    /// Number of first turns of the round's own request that it contains; `None` for all of them, and in journals of
    /// earlier versions. The last of them is a user turn.
    pub turns: Option<u64>,
    /// Hash of the request body.
    pub body: Option<Digest>,
}

/// Why there is no summary.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum SummaryFault {
    /// The answer was unusable; each fault as a sentence for the model.
    Faulty(Vec<String>),
    /// A piece was read, and more pieces follow.
    Unfinished(Box<SummaryPiece>),
    /// There was no answer.
    NoAnswer,
    /// The process that made it died; the given start found that.
    Died(Timestamp),
    /// It ends the round, as before summaries could be made without a model.
    Final,
}

impl SummaryFault {
    /// Whether the process that made the summary died.
    pub const fn is_crash(&self) -> bool {
        match self {
            Self::Died(_) => true,
            Self::Faulty(_) | Self::Unfinished(_) | Self::NoAnswer | Self::Final => false,
        }
    }
}
