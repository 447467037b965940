//! How a model's answer ended.

use crate::id::RoundAttempt;

/// How an answer ended, as its server reports it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum ReplyEnd {
    /// The model finished, or requests calls.
    #[default]
    Done,
    /// The output limit truncated the answer; none of its calls may be run.
    OutputLimit {
        /// The limit that the request set, in tokens; `None` if it set none, so that the server's own limit applied.
        limit: Option<u32>,
    },
    /// The server paused the turn: it continues once its blocks are sent back as they came.
    Paused,
    /// A reason that this version does not know, in the server's word; none of the answer's calls may be run.
    Unknown(String),
}

/// The words of a reply that a person stopped while the model was writing it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct StoppedReply {
    /// Number of the round.
    pub round: u32,
    /// Number of the attempt.
    pub attempt: u32,
    /// The text that was shown.
    pub text: String,
    /// The text in the form of the session's dialect; sent back in later requests.
    pub original: String,
}

impl StoppedReply {
    /// The number of its model call.
    pub const fn number(&self) -> RoundAttempt {
        RoundAttempt { round: self.round, attempt: self.attempt }
    }
}

impl ReplyEnd {
    /// Whether the model itself ended the answer, so that its calls are complete.
    pub fn is_intended(&self) -> bool {
        match self {
            Self::Done => true,
            Self::OutputLimit { .. } | Self::Paused | Self::Unknown(_) => false,
        }
    }
}
