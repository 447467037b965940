//! How the context of a session is summed up, while that is under way.

use crate::id::Digest;
use crate::session::{SummaryItem, SummaryMethod};
use crate::time::Timestamp;

/// A summary that is under way.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SummaryProgress {
    /// How it is made.
    pub method: SummaryMethod,
    /// Most tokens that may be sent; none where the provider refused the request as too long.
    pub budget: Option<u64>,
    /// What was wrong with the first answer; empty until there was one.
    pub faults: Vec<String>,
    /// What was read so far, where the conversation is read in pieces; none before the first piece was read.
    pub piece: Option<Box<SummaryPiece>>,
}

impl SummaryProgress {
    /// One that begins.
    pub fn new(method: SummaryMethod, budget: Option<u64>) -> Self {
        Self { method, budget, faults: Vec::new(), piece: None }
    }
}

/// How far a conversation was read that is larger than the model reads at once.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SummaryPiece {
    /// What the model wrote down so far.
    pub items: Vec<SummaryItem>,
    /// Bytes of the conversation in words that were read.
    pub read: u64,
}

/// What a model was asked for a summary with, so that the request can be rebuilt.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SummaryRequest {
    /// The text that asks, at the end of the request.
    pub ask: String,
    /// Most bytes of the conversation, told in words from its end; none where it is the round's own request.
    pub in_words: Option<u64>,
    /// Where in the words it begins, in bytes; none where it is their end, and in journals of before.
    pub from: Option<u64>,
    /// Hash of the request's body.
    pub body: Option<Digest>,
}

/// Why there is no summary.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum SummaryFault {
    /// The answer was of no use: what was wrong with it, each in a sentence that the model reads.
    Faulty(Vec<String>),
    /// A piece was read, and there is more.
    Unfinished(Box<SummaryPiece>),
    /// There is no answer.
    NoAnswer,
    /// The process that made it died; this start found that.
    Died(Timestamp),
    /// It ends the round. So it was before summaries were made without a model.
    Final,
}
