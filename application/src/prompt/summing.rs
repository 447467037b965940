//! The request for a summary: the round's own request with one part more at its end, so that all but that comes from
//! the cache of the provider; or the end of the conversation in plain words, where that request is what the model
//! cannot read.

use std::collections::HashMap;
use std::sync::Arc;

use entracte_domain::session::SummaryRequest;

use super::texts::compaction_role;
use super::words::in_words;
use crate::ports::{CommandUse, ModelRequest, OutputShape, Turn, UserPart, Written};
use crate::settings::Language;
use crate::texts::{Texts, say};

/// The request for a summary of what a round's own request tells. The same rows give the same request.
pub fn summing_request(own: ModelRequest, asked: &SummaryRequest, language: Language) -> ModelRequest {
    let ask = UserPart::System(asked.ask.clone());
    match asked.in_words {
        None => ModelRequest { turns: with_part(own.turns, ask), ..own },
        Some(most) => ModelRequest {
            system: vec![compaction_role(language).into()],
            turns: later_in_words(&own.turns, usize::try_from(most).unwrap_or(usize::MAX), ask, language),
            tools: Vec::new().into(),
            commands: CommandUse::None,
            relaunch: false,
            output_tokens: None,
            output: OutputShape::Text,
            written: Written::default(),
            ..own
        },
    }
}

/// The turns with one part more at the end of what the model reads.
fn with_part(mut turns: Vec<Arc<Turn>>, part: UserPart) -> Vec<Arc<Turn>> {
    match turns.last_mut().map(Arc::make_mut) {
        Some(Turn::User(parts)) => parts.push(part),
        Some(Turn::Assistant(_)) | None => turns.push(Arc::new(Turn::User(vec![part]))),
    }
    turns
}

/// The last turns that have at most so many bytes, then the request for the summary. Native calls and results become
/// words, because their other halves may be cut off. When the last turn alone is longer than that, its end is kept.
fn later_in_words(turns: &[Arc<Turn>], most: usize, ask: UserPart, language: Language) -> Vec<Arc<Turn>> {
    let texts = Texts::of(language);
    let plain: Vec<Turn> = turns.iter().map(|turn| in_words(texts, turn, &HashMap::new())).collect();
    let mut kept = 0;
    let later = plain.iter().rev().take_while(|turn| {
        kept += words(turn).len();
        kept <= most
    });
    let first = plain.len() - later.count();
    let mut chosen: Vec<Turn> = plain.get(first..).unwrap_or_default().to_vec();
    if chosen.is_empty()
        && let Some(last) = plain.last()
    {
        chosen.push(Turn::User(vec![UserPart::System(end_of(&words(last), most))]));
    }
    if matches!(chosen.first(), Some(Turn::Assistant(_))) {
        chosen.insert(0, Turn::User(vec![UserPart::System(say!(texts, "prompt-compaction-left-out"))]));
    }
    with_part(chosen.into_iter().map(Arc::new).collect(), ask)
}

/// All words of a turn.
fn words(turn: &Turn) -> String {
    match turn {
        Turn::Assistant(said) => said.text.clone(),
        Turn::User(parts) => parts
            .iter()
            .map(|part| match part {
                UserPart::Text(text) | UserPart::System(text) => text.as_str(),
                UserPart::Result { content, .. } => content.as_str(),
            })
            .collect::<Vec<_>>()
            .join("\n"),
    }
}

fn end_of(text: &str, most: usize) -> String {
    let from = text.len().saturating_sub(most);
    let from = (from..=text.len()).find(|&at| text.is_char_boundary(at)).unwrap_or(text.len());
    text.get(from..).unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ports::{AssistantTurn, NativeCall};

    fn user(text: &str) -> Arc<Turn> {
        Arc::new(Turn::User(vec![UserPart::Text(text.into())]))
    }

    fn said(text: &str) -> Arc<Turn> {
        Arc::new(Turn::Assistant(AssistantTurn { text: text.into(), calls: Vec::new(), raw: None }))
    }

    /// The words of each turn.
    fn check(turns: &[Arc<Turn>], most: usize, expected: &[&str]) {
        let asked = later_in_words(turns, most, UserPart::System("SUM".into()), Language::En);
        let found: Vec<String> = asked.iter().map(|turn| words(turn)).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn the_end_is_kept_and_the_request_joins_its_last_user_turn() {
        let turns = [user("aaaaaaaa"), said("bbbb"), user("cc")];
        check(&turns, 7, &["(The beginning is left out.)", "bbbb", "cc\nSUM"]);
        check(&turns, 14, &["aaaaaaaa", "bbbb", "cc\nSUM"]);
        check(&[user("aaaa"), said("bb"), user("cc"), said("d")], 4, &["cc", "d", "SUM"]);
    }

    #[test]
    fn one_turn_that_is_longer_is_cut() {
        check(&[user("0123456789")], 5, &["56789\nSUM"]);
    }

    #[test]
    fn calls_and_results_become_words() {
        let calls =
            vec![NativeCall { provider_call_id: "1".into(), name: "look".into(), arguments: "{}".into() }];
        let asks = Arc::new(Turn::Assistant(AssistantTurn { text: "a".into(), calls, raw: None }));
        let result = Arc::new(Turn::User(vec![UserPart::Result {
            provider_call_id: "1".into(),
            name: "look".into(),
            content: "x".into(),
            is_error: true,
        }]));
        let long = "y".repeat(60);
        let expected = ["(The beginning is left out.)", "a\n(asks for look {})", "(error: x)\nSUM"];
        check(&[user(&long), asks, result], 40, &expected);
    }
}
