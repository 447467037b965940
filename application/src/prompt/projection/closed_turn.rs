//! A turn of a request that was closed.

use std::sync::Arc;

use crate::ports::{PromptTurn, UserTurnPart};

/// A turn that was sent, or is in the request of the open round.
#[derive(Clone, Debug)]
pub(super) struct ClosedTurn {
    /// The session's sequence of a reply's entry; 0 for user turns.
    pub(super) since: u64,
    pub(super) turn: Arc<PromptTurn>,
}

impl ClosedTurn {
    /// A user turn.
    pub(super) fn from_user_turn(turn: PromptTurn) -> Self {
        Self { since: 0, turn: Arc::new(turn) }
    }

    /// The reply in the entry with this sequence.
    pub(super) fn from_reply(since: u64, turn: PromptTurn) -> Self {
        Self { since, turn: Arc::new(turn) }
    }

    /// Whether the turn contains a person's text.
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

/// Whether the part is a person's text.
pub(super) fn is_text(part: &UserTurnPart) -> bool {
    matches!(part, UserTurnPart::Text(_))
}
