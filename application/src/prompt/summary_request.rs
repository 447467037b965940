//! The request for a summary: the round's own request, or its first turns, with one more part at the end, so that the
//! rest comes from the provider's cache; or the end of the conversation as text, if the model cannot read that request.

use std::sync::Arc;

use entracte_domain::session::SummaryRequest;

use super::plain_text::render_turn_in_words;
use super::texts::compaction_role;
use crate::context::end_of;
use crate::ports::{
    AssistantTurn, CommandRequestPolicy, EncodedRequestCache, ModelRequest, OutputShape, PromptTurn,
    UserTurnPart,
};
use crate::settings::Language;
use crate::texts::{LocalizedTexts, say};

/// The request for a summary of the round's own request. The same rows give the same request.
pub fn summing_request(own: ModelRequest, asked: &SummaryRequest, language: Language) -> ModelRequest {
    let ask = UserTurnPart::System(asked.ask.clone());
    match asked.in_words {
        None => {
            let most = asked.turns.and_then(|turns| usize::try_from(turns).ok()).unwrap_or(usize::MAX);
            let turns = own.turns.into_iter().take(most).collect();
            ModelRequest { turns: with_part(turns, ask), ..own }
        }
        Some(most) => ModelRequest {
            system: vec![compaction_role(language).into()],
            turns: match asked.from {
                Some(from) => {
                    with_part(piece_in_words(&own.turns, SliceBounds { from, most }, language).0, ask)
                }
                None => {
                    later_in_words(&own.turns, usize::try_from(most).unwrap_or(usize::MAX), ask, language)
                }
            },
            tools: Vec::new().into(),
            commands: CommandRequestPolicy::None,
            relaunch: false,
            output_tokens: None,
            output: OutputShape::Text,
            written: EncodedRequestCache::default(),
            ..own
        },
    }
}

/// The turns with one more part at the end of the last user turn.
fn with_part(mut turns: Vec<Arc<PromptTurn>>, part: UserTurnPart) -> Vec<Arc<PromptTurn>> {
    match turns.last_mut().map(Arc::make_mut) {
        Some(PromptTurn::User(parts)) => parts.push(part),
        Some(PromptTurn::Assistant(_)) | None => turns.push(Arc::new(PromptTurn::User(vec![part]))),
    }
    turns
}

/// The byte offset of a turn in the conversation as text.
pub fn begins_at(turns: &[Arc<PromptTurn>], turn: usize, language: Language) -> u64 {
    let texts = LocalizedTexts::for_language(language);
    turns.iter().take(turn).map(|turn| plain_words(texts, turn).len() as u64).sum()
}

/// The position of a slice in a conversation as text, in bytes.
#[derive(Clone, Copy, Debug)]
pub struct SliceBounds {
    /// Offset of its first byte.
    pub from: u64,
    /// Its maximum length.
    pub most: u64,
}

/// A slice of a conversation as text, with its end offset. It ends with a
/// turn if one fits, and inside a turn that is longer. Native calls and results become text, because their
/// counterparts may be in another slice.
pub fn piece_in_words(
    turns: &[Arc<PromptTurn>],
    bounds: SliceBounds,
    language: Language,
) -> (Vec<Arc<PromptTurn>>, u64) {
    let texts = LocalizedTexts::for_language(language);
    let from = bounds.from;
    let most = usize::try_from(bounds.most).unwrap_or(usize::MAX);
    let (mut begin, mut end, mut taken) = (0_u64, from, 0_usize);
    let mut chosen: Vec<PromptTurn> = Vec::new();
    for turn in turns {
        let plain = render_turn_in_words(texts, turn);
        let text = words(&plain);
        let skipped = usize::try_from(from.saturating_sub(begin)).unwrap_or(usize::MAX);
        begin = begin.saturating_add(text.len() as u64);
        let Some(rest) = text.get(skipped..).filter(|rest| !rest.is_empty()) else { continue };
        let room = most.saturating_sub(taken);
        if rest.len() <= room {
            chosen.push(if skipped == 0 { plain } else { part_of_same_role(&plain, rest) });
            (taken, end) = (taken + rest.len(), begin);
            continue;
        }
        if chosen.is_empty() {
            let part = start_of(rest, room);
            chosen.push(part_of_same_role(&plain, part));
            end = from.saturating_add(part.len() as u64);
        }
        break;
    }
    if matches!(chosen.first(), Some(PromptTurn::Assistant(_))) {
        chosen.insert(
            0,
            PromptTurn::User(vec![UserTurnPart::System(say!(texts, "prompt-compaction-left-out"))]),
        );
    }
    (chosen.into_iter().map(Arc::new).collect(), end)
}

/// Length in bytes of a conversation as text.
pub fn length_in_words(turns: &[Arc<PromptTurn>], language: Language) -> u64 {
    begins_at(turns, turns.len(), language)
}

fn plain_words(texts: &LocalizedTexts, turn: &PromptTurn) -> String {
    words(&render_turn_in_words(texts, turn))
}

/// A part of a turn's text, with the same role.
fn part_of_same_role(turn: &PromptTurn, part: &str) -> PromptTurn {
    match turn {
        PromptTurn::User(_) => PromptTurn::User(vec![UserTurnPart::System(part.to_owned())]),
        PromptTurn::Assistant(_) => {
            PromptTurn::Assistant(AssistantTurn { text: part.to_owned(), calls: Vec::new(), raw: None })
        }
    }
}

/// The beginning of a text: at most `most` bytes, but at least one character.
fn start_of(text: &str, most: usize) -> &str {
    let whole = text.char_indices().map(|(at, char)| at + char.len_utf8());
    let end = whole.clone().take_while(|&end| end <= most).last().or_else(|| whole.clone().next());
    text.get(..end.unwrap_or_default()).unwrap_or_default()
}

/// The last turns with at most `most` bytes, then the request for the summary. Native calls and results become
/// text, because their counterparts may be cut off. If the last turn alone is longer, its end is kept.
fn later_in_words(
    turns: &[Arc<PromptTurn>],
    most: usize,
    ask: UserTurnPart,
    language: Language,
) -> Vec<Arc<PromptTurn>> {
    let texts = LocalizedTexts::for_language(language);
    let plain: Vec<PromptTurn> = turns.iter().map(|turn| render_turn_in_words(texts, turn)).collect();
    let mut kept = 0;
    let later = plain.iter().rev().take_while(|turn| {
        kept += words(turn).len();
        kept <= most
    });
    let first = plain.len() - later.count();
    let mut chosen: Vec<PromptTurn> = plain.get(first..).unwrap_or_default().to_vec();
    if chosen.is_empty()
        && let Some(last) = plain.last()
    {
        chosen.push(PromptTurn::User(vec![UserTurnPart::System(end_of(&words(last), most).to_owned())]));
    }
    if matches!(chosen.first(), Some(PromptTurn::Assistant(_))) {
        chosen.insert(
            0,
            PromptTurn::User(vec![UserTurnPart::System(say!(texts, "prompt-compaction-left-out"))]),
        );
    }
    with_part(chosen.into_iter().map(Arc::new).collect(), ask)
}

/// The full text of a turn.
fn words(turn: &PromptTurn) -> String {
    match turn {
        PromptTurn::Assistant(said) => said.text.clone(),
        PromptTurn::User(parts) => parts.iter().map(UserTurnPart::text).collect::<Vec<_>>().join("\n"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ports::NativeCall;

    fn user(text: &str) -> Arc<PromptTurn> {
        Arc::new(PromptTurn::User(vec![UserTurnPart::Text(text.into())]))
    }

    fn said(text: &str) -> Arc<PromptTurn> {
        Arc::new(PromptTurn::Assistant(AssistantTurn { text: text.into(), calls: Vec::new(), raw: None }))
    }

    /// Checks the texts of the turns.
    fn check(turns: &[Arc<PromptTurn>], most: usize, expected: &[&str]) {
        let asked = later_in_words(turns, most, UserTurnPart::System("SUM".into()), Language::En);
        let found: Vec<String> = asked.iter().map(|turn| words(turn)).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn summary_request_joins_last_user_turn_of_end() {
        let turns = [user("aaaaaaaa"), said("bbbb"), user("cc")];
        check(&turns, 7, &["(The beginning is left out.)", "bbbb", "cc\nSUM"]);
        check(&turns, 14, &["aaaaaaaa", "bbbb", "cc\nSUM"]);
        check(&[user("aaaa"), said("bb"), user("cc"), said("d")], 4, &["cc", "d", "SUM"]);
    }

    #[test]
    fn turn_beyond_maximum_is_cut() {
        check(&[user("0123456789")], 5, &["56789\nSUM"]);
    }

    /// The texts of all slices in order.
    fn pieces(turns: &[Arc<PromptTurn>], most: u64) -> Vec<Vec<String>> {
        let (mut from, mut all) = (0, Vec::new());
        while from < length_in_words(turns, Language::En) {
            let (piece, end) = piece_in_words(turns, SliceBounds { from, most }, Language::En);
            assert!(end > from, "{from} {end}");
            all.push(piece.iter().map(|turn| words(turn)).collect());
            from = end;
        }
        all
    }

    #[test]
    fn slices_end_with_a_turn_if_one_fits() {
        let turns = [user("aaaa"), said("bb"), user("cc"), said("d"), user("0123456789€")];
        let left_out = "(The beginning is left out.)";
        let expected: [&[&str]; 5] =
            [&["aaaa"], &[left_out, "bb", "cc", "d"], &["01234"], &["56789"], &["€"]];
        assert_eq!(pieces(&turns, 5), expected);
        assert_eq!(pieces(&turns, 1_000).len(), 1);
        assert_eq!(pieces(&[user("€€")], 1), [["€"], ["€"]], "a piece is never empty");
        assert_eq!(begins_at(&turns, 2, Language::En), 6);
    }

    #[test]
    fn calls_and_results_become_text() {
        let calls =
            vec![NativeCall { provider_call_id: "1".into(), name: "look".into(), arguments: "{}".into() }];
        let asks = Arc::new(PromptTurn::Assistant(AssistantTurn { text: "a".into(), calls, raw: None }));
        let result = Arc::new(PromptTurn::User(vec![UserTurnPart::Result {
            provider_call_id: "1".into(),
            name: "look".into(),
            content: "x".into(),
            is_error: true,
            files: Vec::new(),
        }]));
        let long = "y".repeat(60);
        let expected = ["(The beginning is left out.)", "a\n(asks for look {})", "(error: x)\nSUM"];
        check(&[user(&long), asks, result], 40, &expected);
    }
}
