//! What of a conversation is summed up when the whole is too long: its later half, in plain words, so that any
//! provider takes it.

use std::sync::Arc;

use crate::ports::{Turn, UserPart};
use crate::prompt::in_words;
use crate::prompt::texts::compaction_request;
use crate::settings::Language;
use crate::texts::{Texts, say};

/// The last turns that together are at most half as long as all, then the request for the summary. Native calls
/// and results become words, because their other halves may be cut off. When the last turn alone is longer than
/// that, its end is kept.
pub(super) fn request(turns: &[Arc<Turn>], language: Language) -> Vec<Arc<Turn>> {
    let texts = Texts::of(language);
    let plain: Vec<Turn> = turns.iter().map(|turn| in_words(texts, turn)).collect();
    let half = plain.iter().map(length).sum::<usize>() / 2;
    let mut kept = 0;
    let later = plain.iter().rev().take_while(|turn| {
        kept += length(turn);
        kept <= half
    });
    let first = plain.len() - later.count();
    let mut chosen: Vec<Turn> = plain[first..].to_vec();
    if chosen.is_empty()
        && let Some(last) = plain.last()
    {
        chosen.push(Turn::User(vec![UserPart::System(end_of(&words(last), half))]));
    }
    if matches!(chosen.first(), Some(Turn::Assistant(_))) {
        chosen.insert(0, Turn::User(vec![UserPart::System(say!(texts, "prompt-compaction-left-out"))]));
    }
    let ask = UserPart::System(compaction_request(language));
    match chosen.last_mut() {
        Some(Turn::User(parts)) => parts.push(ask),
        Some(Turn::Assistant(_)) | None => chosen.push(Turn::User(vec![ask])),
    }
    chosen.into_iter().map(Arc::new).collect()
}

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

fn length(turn: &Turn) -> usize {
    words(turn).len()
}

fn end_of(text: &str, most: usize) -> String {
    let from = text.len().saturating_sub(most);
    let from = (from..=text.len()).find(|&at| text.is_char_boundary(at)).unwrap_or(text.len());
    text[from..].to_owned()
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
    fn check(turns: &[Arc<Turn>], expected: &[&str]) {
        let ask = compaction_request(Language::En);
        let asked = request(turns, Language::En);
        let found: Vec<String> = asked.iter().map(|turn| words(turn).replace(&ask, "SUM")).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn the_later_half_is_kept_and_the_request_joins_its_last_user_turn() {
        check(
            &[user("aaaaaaaa"), said("bbbb"), user("cc")],
            &["(The beginning is left out.)", "bbbb", "cc\nSUM"],
        );
        check(&[user("aaaa"), said("bb"), user("cc"), said("d")], &["cc", "d", "SUM"]);
    }

    #[test]
    fn one_turn_that_is_longer_than_half_is_cut() {
        check(&[user("0123456789")], &["56789\nSUM"]);
    }

    #[test]
    fn calls_and_results_become_words() {
        let calls =
            vec![NativeCall { provider_call_id: "1".into(), name: "look".into(), arguments: "{}".into() }];
        let asks = Arc::new(Turn::Assistant(AssistantTurn { text: "a".into(), calls, raw: None }));
        let result = Arc::new(Turn::User(vec![UserPart::Result {
            provider_call_id: "1".into(),
            content: "x".into(),
            is_error: true,
        }]));
        let long = "y".repeat(60);
        let expected = ["(The beginning is left out.)", "a\n(asks for look {})", "(error: x)\nSUM"];
        check(&[user(&long), asks, result], &expected);
    }
}
