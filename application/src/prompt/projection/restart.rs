//! Rebuilds the conversation after a compaction: the summary, the last message of a person, and the retained
//! history.

use entracte_domain::id::{CallId, SessionId};

use super::closed_turn::{ClosedTurn, WHOLE_TURNS, begin_from, is_text, reply_from_last};
use super::file_cut::without_files;
use super::meter::ConversationMeter;
use crate::context::{TokenEstimator, TurnSize, fold_result, is_long, longest_fitting_tail};
use crate::ports::{PromptTurn, UserTurnPart};
use crate::settings::Language;

/// The history that stays after a summary.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RetainedHistory {
    /// Sequence of the first reply that stays; one after the last entry if none does.
    pub from: u64,
    /// The calls whose long results are folded. In a turn without native results, a part is named by its position, as
    /// if that were the ordinal of a call.
    pub folded: Vec<CallId>,
    /// Sequence of the first reply after the files that are only named from now on; `None` if all files stay that the
    /// retained history has.
    pub files_from: Option<u64>,
}

/// The size limits of the retained history.
#[derive(Clone, Copy, Debug)]
pub struct RetentionBudget {
    /// Tokens after prefix and summary that leave half of the budget free.
    pub usual: u64,
    /// The limit for the last reply with its results alone, if even these exceed `usual`.
    pub most: u64,
    /// Maximum turns; `None` if only tokens count.
    pub turns: Option<usize>,
}

/// The context of folding results.
#[derive(Clone, Copy, Debug)]
pub(super) struct ResultFoldingContext<'a> {
    pub(super) session: &'a SessionId,
    pub(super) language: Language,
    /// The model's name for the command that reads on.
    pub(super) read_on: Option<&'a str>,
}

/// The longest tail that fits. `after` is the sequence of the last entry.
pub(super) fn select_retained_history(
    turns: &[ClosedTurn],
    meter: &ConversationMeter,
    folding: &ResultFoldingContext<'_>,
    room: RetentionBudget,
    after: u64,
) -> RetainedHistory {
    let from_last = |count: usize| reply_from_last(turns, count).unwrap_or(0);
    let (fresh, last) = (from_last(WHOLE_TURNS), from_last(1));
    let last_said = turns.iter().rposition(ClosedTurn::has_text);
    // Parts that the model has not read yet stay whole while they fit at all, even if little else remains.
    let tries = [
        (fresh, room.usual, 0),
        (last, room.usual, 0),
        (last, room.most, last),
        (turns.len(), room.usual, 0),
        (turns.len(), room.most, last),
    ];
    for (whole_from, most, begins_at) in tries {
        let cut = fold_turns(turns, meter, folding, whole_from);
        let pieces: Vec<TurnSize> = turns
            .iter()
            .zip(&cut)
            .map(|(closed, cut)| TurnSize { is_reply: closed.is_reply(), tokens: cut.tokens })
            .collect();
        let spoken = |begin: usize| earlier_user_tokens(turns, last_said, begin, meter);
        let least = room.turns.map_or(0, |most| pieces.len().saturating_sub(most)).max(begins_at);
        let Some(begin) = begin_of(&pieces, most, least, spoken) else { continue };
        let folded = cut.into_iter().skip(begin).flat_map(|cut| cut.folded).collect();
        let since = |place: usize| turns.get(place).map_or(after + 1, |closed| closed.since);
        let loses_files =
            turns.get(begin..whole_from).is_some_and(|left| left.iter().any(ClosedTurn::has_files));
        let files_from = loses_files.then(|| since(whole_from));
        return RetainedHistory { from: since(begin), folded, files_from };
    }
    RetainedHistory { from: after + 1, folded: Vec::new(), files_from: None }
}

/// The beginning of the longest tail that fits together with the last user message, if that stands before it; not
/// before `least`.
fn begin_of(pieces: &[TurnSize], most: u64, least: usize, spoken: impl Fn(usize) -> u64) -> Option<usize> {
    let latest = pieces.get(least..).unwrap_or_default();
    let begin = longest_fitting_tail(latest, most)? + least;
    let room = most.checked_sub(spoken(begin))?;
    longest_fitting_tail(latest, room).map(|at| at + least)
}

/// The tokens of the last user message, if it stands before the tail.
fn earlier_user_tokens(
    turns: &[ClosedTurn],
    last_said: Option<usize>,
    begin: usize,
    meter: &ConversationMeter,
) -> u64 {
    match last_said.filter(|at| *at < begin).and_then(|at| turns.get(at)) {
        Some(closed) => user_parts(&closed.turn).iter().map(|part| meter.part_tokens(part)).sum(),
        None => 0,
    }
}

/// A turn as it would be retained, with its size.
struct FoldedTurn {
    tokens: u64,
    folded: Vec<CallId>,
}

/// Every turn as it would be retained, with long results folded and without files before `whole_from`.
fn fold_turns(
    turns: &[ClosedTurn],
    meter: &ConversationMeter,
    folding: &ResultFoldingContext<'_>,
    whole_from: usize,
) -> Vec<FoldedTurn> {
    let mut since = 0;
    let mut cuts = Vec::with_capacity(turns.len());
    for (at, closed) in turns.iter().enumerate() {
        let mut cut = FoldedTurn { tokens: meter.turn_tokens(&closed.turn), folded: Vec::new() };
        if closed.is_reply() {
            since = closed.since;
        } else if at < whole_from && since > 0 {
            let long = long_parts(&closed.turn);
            cut.folded = long.iter().map(|&place| folding.session.call_id(since, place)).collect();
            if !long.is_empty() || closed.has_files() {
                let folded = with_folded(&closed.turn, since, &cut.folded, folding);
                cut.tokens = meter.turn_tokens(&without_files(&folded));
            }
        }
        cuts.push(cut);
    }
    cuts
}

/// The conversation after a summary.
pub(super) fn rebuild_after_summary(
    turns: &[ClosedTurn],
    summary: UserTurnPart,
    kept: &RetainedHistory,
    folding: &ResultFoldingContext<'_>,
) -> Vec<ClosedTurn> {
    let begin = begin_from(turns, kept.from);
    let mut first = vec![summary];
    first.append(&mut earlier_user_parts(turns, begin));
    let files_begin = kept.files_from.map_or(begin, |from| begin_from(turns, from));
    let mut since = 0;
    let mut left = vec![ClosedTurn::from_user_turn(PromptTurn::User(first))];
    for (at, closed) in turns.iter().enumerate().skip(begin) {
        if closed.is_reply() {
            since = closed.since;
            left.push(closed.clone());
            continue;
        }
        let folded = with_folded(&closed.turn, since, &kept.folded, folding);
        let turn = if at < files_begin { without_files(&folded) } else { folded };
        left.push(ClosedTurn::from_user_turn(turn));
    }
    left
}

/// Number of people's messages that stay whole before a history that is retained from this sequence on.
pub(super) fn user_messages_kept(turns: &[ClosedTurn], from: u64) -> usize {
    earlier_user_parts(turns, begin_from(turns, from)).len()
}

/// The parts of the last turn with a person's text, if it stands before this position.
fn earlier_user_parts(turns: &[ClosedTurn], begin: usize) -> Vec<UserTurnPart> {
    let last = turns.iter().rposition(ClosedTurn::has_text).filter(|at| *at < begin);
    last.and_then(|at| turns.get(at)).map_or_else(Vec::new, |closed| user_parts(&closed.turn))
}

/// A person's message parts, whole. Parts next to them are in the summary, or are read again.
fn user_parts(turn: &PromptTurn) -> Vec<UserTurnPart> {
    let PromptTurn::User(parts) = turn else { return Vec::new() };
    parts.iter().filter(|part| is_text(part)).cloned().collect()
}

/// The positions of the long parts, which are never a person's text.
fn long_parts(turn: &PromptTurn) -> Vec<usize> {
    let PromptTurn::User(parts) = turn else { return Vec::new() };
    let is_long = |part: &UserTurnPart| match part {
        UserTurnPart::Text(_) | UserTurnPart::File(_) => false,
        UserTurnPart::System(content) | UserTurnPart::Result { content, .. } => {
            is_long(TokenEstimator::GUESS, content)
        }
    };
    parts.iter().enumerate().filter(|(_, part)| is_long(part)).map(|(place, _)| place).collect()
}

/// A turn with the parts of these calls folded. Equal turns always give equal bytes, so the guess measures them
/// and not a model's count.
fn with_folded(
    turn: &PromptTurn,
    since: u64,
    calls: &[CallId],
    folding: &ResultFoldingContext<'_>,
) -> PromptTurn {
    let PromptTurn::User(parts) = turn else { return turn.clone() };
    let fold = |(place, part): (usize, &UserTurnPart)| {
        let call = folding.session.call_id(since, place);
        if !calls.contains(&call) {
            return part.clone();
        }
        match part {
            UserTurnPart::Text(_) | UserTurnPart::File(_) => part.clone(),
            UserTurnPart::System(text) => {
                UserTurnPart::System(shortened(text, None, folding).unwrap_or_else(|| text.clone()))
            }
            UserTurnPart::Result { provider_call_id, name, content, is_error, files } => {
                UserTurnPart::Result {
                    provider_call_id: provider_call_id.clone(),
                    name: name.clone(),
                    content: shortened(content, Some(&call), folding).unwrap_or_else(|| content.clone()),
                    is_error: *is_error,
                    files: files.clone(),
                }
            }
        }
    };
    PromptTurn::User(parts.iter().enumerate().map(fold).collect())
}

fn shortened(content: &str, call: Option<&CallId>, folding: &ResultFoldingContext<'_>) -> Option<String> {
    let read_on = folding.read_on.zip(call);
    fold_result(TokenEstimator::GUESS, folding.language, content, 0, read_on)
}
