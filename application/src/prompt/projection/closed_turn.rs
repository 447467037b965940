//! A turn that was sent.

use std::sync::Arc;

use crate::ports::{PromptTurn, UserTurnPart};

/// A turn that was sent, or is in the request of the open round.
#[derive(Clone, Debug)]
pub(super) struct ClosedTurn {
    /// The session's sequence of the entry that a reply came in; 0 for what the model reads.
    pub(super) since: u64,
    pub(super) turn: Arc<PromptTurn>,
}

impl ClosedTurn {
    /// What the model reads.
    pub(super) fn from_user_turn(turn: PromptTurn) -> Self {
        Self { since: 0, turn: Arc::new(turn) }
    }

    /// What it said, in the entry of that sequence.
    pub(super) fn from_reply(since: u64, turn: PromptTurn) -> Self {
        Self { since, turn: Arc::new(turn) }
    }

    /// Whether a person says something in it.
    pub(super) fn has_text(&self) -> bool {
        match &*self.turn {
            PromptTurn::User(parts) => parts.iter().any(is_text),
            PromptTurn::Assistant(_) => false,
        }
    }

    pub(super) fn is_reply(&self) -> bool {
        matches!(*self.turn, PromptTurn::Assistant(_))
    }
}

/// Whether a person says it.
pub(super) fn is_text(part: &UserTurnPart) -> bool {
    matches!(part, UserTurnPart::Text(_))
}
