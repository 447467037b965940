//! Rebuilds the conversation after a compaction in journals that do not record the retained history, exactly as
//! it was sent then.

use super::closed_turn::{ClosedTurn, is_text};
use crate::ports::{PromptTurn, UserTurnPart};

/// Maximum bytes of the tail after the last user message that stay unchanged. The summary covers it too; the tail
/// shows the model where it stood. More would defeat the summary: a run has one user message, its first.
const KEPT_BYTES: usize = 32_000;

/// The turns that begin with the summary: the last user message, and as many of the latest turns after it as may
/// stay. Calls and their results stay together.
pub(super) fn rebuild_after_summary_v1(turns: &[ClosedTurn], summary: UserTurnPart) -> Vec<ClosedTurn> {
    let mut first = vec![summary];
    let Some(last_said) = turns.iter().rposition(ClosedTurn::has_text) else {
        return vec![ClosedTurn::from_user_turn(PromptTurn::User(first))];
    };
    let (mut spoken, size) =
        turns.get(last_said).map(|closed| user_turn_parts(&closed.turn)).unwrap_or_default();
    first.append(&mut spoken);
    let tail = turns.get(last_said + 1..).unwrap_or_default();
    let kept = retained_tail(tail, KEPT_BYTES.saturating_sub(size));
    std::iter::once(ClosedTurn::from_user_turn(PromptTurn::User(first))).chain(kept.iter().cloned()).collect()
}

/// The user message with the parts next to it; without these if they are too large.
fn user_turn_parts(turn: &PromptTurn) -> (Vec<UserTurnPart>, usize) {
    let PromptTurn::User(parts) = turn else { return (Vec::new(), 0) };
    let from_text: Vec<UserTurnPart> = parts.iter().skip_while(|part| !is_text(part)).cloned().collect();
    let size = from_text.iter().map(part_size).sum();
    if size <= KEPT_BYTES {
        return (from_text, size);
    }
    let texts: Vec<UserTurnPart> = from_text.into_iter().filter(is_text).collect();
    let size = texts.iter().map(part_size).sum();
    (texts, size)
}

/// The longest tail of the turns that begins with a reply and has at most `most` bytes.
fn retained_tail(tail: &[ClosedTurn], most: usize) -> &[ClosedTurn] {
    let mut size = 0_usize;
    let mut kept: &[ClosedTurn] = &[];
    for (index, closed) in tail.iter().enumerate().rev() {
        size = size.saturating_add(turn_size(&closed.turn));
        if size > most {
            break;
        }
        if closed.is_reply() {
            kept = tail.get(index..).unwrap_or_default();
        }
    }
    kept
}

fn turn_size(turn: &PromptTurn) -> usize {
    match turn {
        PromptTurn::User(parts) => parts.iter().map(part_size).sum(),
        PromptTurn::Assistant(said) => {
            said.text.len() + said.calls.iter().map(|call| call.arguments.len()).sum::<usize>()
        }
    }
}

fn part_size(part: &UserTurnPart) -> usize {
    part.text().len()
}
