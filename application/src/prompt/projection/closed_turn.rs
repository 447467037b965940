//! A turn of a request that was closed.

use std::sync::Arc;

use crate::ports::{PromptTurn, UserTurnPart};
use crate::prompt::files::files_of_turn;

/// Number of last turns whose results are never folded and whose files stay: the model may just be reading them.
pub(super) const WHOLE_TURNS: usize = 2;

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

    /// Whether the turn has files beside its texts.
    pub(super) fn has_files(&self) -> bool {
        !files_of_turn(&self.turn).is_empty()
    }

    pub(super) fn is_reply(&self) -> bool {
        matches!(*self.turn, PromptTurn::Assistant(_))
    }
}

/// Whether the part is a person's text.
pub(super) fn is_text(part: &UserTurnPart) -> bool {
    matches!(part, UserTurnPart::Text(_))
}

/// The position of the last reply for a count of 1, of the one before it for 2, and so on.
pub(super) fn reply_from_last(turns: &[ClosedTurn], count: usize) -> Option<usize> {
    let replies = turns.iter().enumerate().rev().filter(|(_, closed)| closed.is_reply());
    replies.map(|(at, _)| at).nth(count.checked_sub(1)?)
}

/// The position of the first reply since this sequence; that after the last turn if there is none.
pub(super) fn begin_from(turns: &[ClosedTurn], from: u64) -> usize {
    let begin = turns.iter().position(|closed| closed.is_reply() && closed.since >= from);
    begin.unwrap_or(turns.len())
}
