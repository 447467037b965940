//! The conversation after its beginning was summed up: the summary, the last message of a person, and the end that
//! stays.

use entracte_domain::id::{CallId, SessionId};

use super::closed_turn::{ClosedTurn, is_text};
use super::meter::{measure_part, measure_turn};
use crate::context::{TokenEstimator, TurnSize, fold_result, is_long, longest_fitting_tail};
use crate::ports::{PromptTurn, UserTurnPart};
use crate::settings::Language;

/// What stays of a conversation behind a summary.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RetainedHistory {
    /// Sequence from which on replies stay; one after the last entry where none does.
    pub from: u64,
    /// The calls whose long results are shortened. In a turn without native results it is named by the place of the
    /// part, as if that were the place of a call.
    pub folded: Vec<CallId>,
}

/// How much may stay.
#[derive(Clone, Copy, Debug)]
pub struct RetentionBudget {
    /// Tokens behind prefix and summary, so that half of the budget stays free.
    pub usual: u64,
    /// The same for the last reply with its results, where the usual is too little even for that.
    pub most: u64,
    /// Turns; none where only tokens count.
    pub turns: Option<usize>,
}

/// The last turns whose results stay whole: the model may just be reading them.
const WHOLE: usize = 2;

/// How folded results are told.
#[derive(Clone, Copy, Debug)]
pub(super) struct ResultFoldingContext<'a> {
    pub(super) session: &'a SessionId,
    pub(super) language: Language,
    /// What the model calls the command that reads on.
    pub(super) read_on: Option<&'a str>,
}

/// The longest end that has room. `after` is the sequence of the last entry.
pub(super) fn select_retained_history(
    turns: &[ClosedTurn],
    ruler: TokenEstimator,
    folding: &ResultFoldingContext<'_>,
    (room, after): (RetentionBudget, u64),
) -> RetainedHistory {
    let replies: Vec<usize> =
        (0..turns.len()).filter(|&at| turns.get(at).is_some_and(ClosedTurn::is_reply)).collect();
    let from_last = |count: usize| replies.len().checked_sub(count).and_then(|at| replies.get(at)).copied();
    let (fresh, last) = (from_last(WHOLE).unwrap_or(0), from_last(1).unwrap_or(0));
    let last_said = turns.iter().rposition(ClosedTurn::has_text);
    // What the model has not read yet stays whole while there is any room for it, even if little else is left.
    let tries = [
        (fresh, room.usual, 0),
        (last, room.usual, 0),
        (last, room.most, last),
        (turns.len(), room.usual, 0),
        (turns.len(), room.most, last),
    ];
    for (whole_from, most, begins_at) in tries {
        let cut = fold_turns(turns, ruler, folding, whole_from);
        let pieces: Vec<TurnSize> = turns
            .iter()
            .zip(&cut)
            .map(|(closed, cut)| TurnSize { is_reply: closed.is_reply(), tokens: cut.tokens })
            .collect();
        let spoken = |begin: usize| earlier_user_tokens(turns, last_said, begin, ruler);
        let least = room.turns.map_or(0, |most| pieces.len().saturating_sub(most)).max(begins_at);
        let Some(begin) = begin_of(&pieces, most, least, spoken) else { continue };
        let folded = cut.into_iter().skip(begin).flat_map(|cut| cut.folded).collect();
        return RetainedHistory { from: turns.get(begin).map_or(after + 1, |closed| closed.since), folded };
    }
    RetainedHistory { from: after + 1, folded: Vec::new() }
}

/// Where the longest end begins that has room beside what a person said last, where that stands before it; not before
/// `least`.
fn begin_of(pieces: &[TurnSize], most: u64, least: usize, spoken: impl Fn(usize) -> u64) -> Option<usize> {
    let latest = pieces.get(least..).unwrap_or_default();
    let begin = longest_fitting_tail(latest, most)? + least;
    let room = most.checked_sub(spoken(begin))?;
    longest_fitting_tail(latest, room).map(|at| at + least)
}

/// The tokens of what a person said last, where it stands before an end.
fn earlier_user_tokens(
    turns: &[ClosedTurn],
    last_said: Option<usize>,
    begin: usize,
    ruler: TokenEstimator,
) -> u64 {
    match last_said.filter(|at| *at < begin).and_then(|at| turns.get(at)) {
        Some(closed) => {
            user_parts(&closed.turn).iter().map(|part| ruler.request_tokens(measure_part(part), 1)).sum()
        }
        None => 0,
    }
}

/// A turn as it stays.
struct FoldedTurn {
    tokens: u64,
    folded: Vec<CallId>,
}

/// Every turn as it would stay, with its long results folded where it stands before `whole_from`.
fn fold_turns(
    turns: &[ClosedTurn],
    ruler: TokenEstimator,
    folding: &ResultFoldingContext<'_>,
    whole_from: usize,
) -> Vec<FoldedTurn> {
    let mut since = 0;
    let mut cuts = Vec::with_capacity(turns.len());
    for (at, closed) in turns.iter().enumerate() {
        let (bytes, parts) = measure_turn(&closed.turn);
        let mut cut = FoldedTurn { tokens: ruler.request_tokens(bytes, parts), folded: Vec::new() };
        if closed.is_reply() {
            since = closed.since;
        } else if at < whole_from && since > 0 {
            let long = long_parts(&closed.turn);
            cut.folded = long.iter().map(|&place| folding.session.call_id(since, place)).collect();
            if !long.is_empty() {
                let (bytes, parts) = measure_turn(&with_folded(&closed.turn, since, &cut.folded, folding));
                cut.tokens = ruler.request_tokens(bytes, parts);
            }
        }
        cuts.push(cut);
    }
    cuts
}

/// The conversation behind a summary.
pub(super) fn rebuild_after_summary(
    turns: &[ClosedTurn],
    summary: UserTurnPart,
    kept: &RetainedHistory,
    folding: &ResultFoldingContext<'_>,
) -> Vec<ClosedTurn> {
    let begin = turns.iter().position(|closed| closed.is_reply() && closed.since >= kept.from);
    let begin = begin.unwrap_or(turns.len());
    let mut first = vec![summary];
    if let Some(last) =
        turns.iter().rposition(ClosedTurn::has_text).filter(|at| *at < begin).and_then(|at| turns.get(at))
    {
        first.append(&mut user_parts(&last.turn));
    }
    let mut since = 0;
    let mut left = vec![ClosedTurn::from_user_turn(PromptTurn::User(first))];
    for closed in turns.get(begin..).unwrap_or_default() {
        if closed.is_reply() {
            since = closed.since;
            left.push(closed.clone());
        } else {
            left.push(ClosedTurn::from_user_turn(with_folded(&closed.turn, since, &kept.folded, folding)));
        }
    }
    left
}

/// What a person said, whole. What came with it is in the summary, or is read again.
fn user_parts(turn: &PromptTurn) -> Vec<UserTurnPart> {
    let PromptTurn::User(parts) = turn else { return Vec::new() };
    parts.iter().filter(|part| is_text(part)).cloned().collect()
}

/// The places of the parts that are long; what a person said is none of them.
fn long_parts(turn: &PromptTurn) -> Vec<usize> {
    let PromptTurn::User(parts) = turn else { return Vec::new() };
    let is_long = |part: &UserTurnPart| match part {
        UserTurnPart::Text(_) => false,
        UserTurnPart::System(content) | UserTurnPart::Result { content, .. } => {
            is_long(TokenEstimator::GUESS, content)
        }
    };
    parts.iter().enumerate().filter(|(_, part)| is_long(part)).map(|(place, _)| place).collect()
}

/// A turn with the parts shortened that these calls name. The same turn gives the same bytes for ever, so it is measured
/// by the guess and not by what a model counted.
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
            UserTurnPart::Text(text) => UserTurnPart::Text(text.clone()),
            UserTurnPart::System(text) => {
                UserTurnPart::System(shortened(text, None, folding).unwrap_or_else(|| text.clone()))
            }
            UserTurnPart::Result { provider_call_id, name, content, is_error } => UserTurnPart::Result {
                provider_call_id: provider_call_id.clone(),
                name: name.clone(),
                content: shortened(content, Some(&call), folding).unwrap_or_else(|| content.clone()),
                is_error: *is_error,
            },
        }
    };
    PromptTurn::User(parts.iter().enumerate().map(fold).collect())
}

fn shortened(content: &str, call: Option<&CallId>, folding: &ResultFoldingContext<'_>) -> Option<String> {
    let read_on = folding.read_on.zip(call);
    fold_result(TokenEstimator::GUESS, folding.language, content, 0, read_on)
}
