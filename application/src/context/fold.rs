//! Folds long results in the prompt to their beginning and end.

use entracte_domain::id::CallId;
use serde_json::json;

use super::TokenEstimator;
use crate::settings::Language;
use crate::texts::{LocalizedTexts, say};

/// Results with more tokens than this are folded, except those of the last two turns.
pub const FOLDED_FROM: u64 = 1_500;
/// Retained tokens of the beginning.
const HEAD: u64 = 300;
/// Retained tokens of the end.
const TAIL: u64 = 100;

/// Whether a result is folded once it is no longer one of the last.
pub fn is_long(ruler: TokenEstimator, content: &str) -> bool {
    ruler.tokens(content.len()) > FOLDED_FROM
}

/// The beginning and end of a long result, with the way to read the rest: the command that reads on, in the
/// model's naming, and the call. `None` if the result is short enough to stay.
///
/// `prefix` = the characters before the result in this content (its code), because the command counts from the
/// result itself.
pub fn fold_result(
    ruler: TokenEstimator,
    language: Language,
    content: &str,
    prefix: usize,
    read_on: Option<(&str, &CallId)>,
) -> Option<String> {
    if !is_long(ruler, content) {
        return None;
    }
    let head = start_of(content, ruler.bytes(HEAD));
    let tail = end_of(content, ruler.bytes(TAIL));
    let left_out = content.chars().count() - head.chars().count() - tail.chars().count();
    let texts = LocalizedTexts::for_language(language);
    let says = match read_on {
        Some((command, call)) => {
            let from = head.chars().count().saturating_sub(prefix);
            let arguments = json!({ "call": call.as_str(), "from": from }).to_string();
            say!(texts, "context-folded-read-on", count = left_out, command = command, arguments = arguments)
        }
        None => say!(texts, "context-folded", count = left_out),
    };
    Some(format!("{head}\n{says}\n{tail}"))
}

/// The beginning of a text, at most `most` bytes.
pub(super) fn start_of(text: &str, most: usize) -> &str {
    let end = (0..=most.min(text.len())).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
    text.get(..end).unwrap_or_default()
}

/// The end of a text, at most `most` bytes.
pub(crate) fn end_of(text: &str, most: usize) -> &str {
    let from = text.len().saturating_sub(most);
    let from = (from..=text.len()).find(|&at| text.is_char_boundary(at)).unwrap_or(text.len());
    text.get(from..).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_short_result_stays() {
        let most = "x".repeat(TokenEstimator::GUESS.bytes(FOLDED_FROM));
        assert_eq!(fold_result(TokenEstimator::GUESS, Language::En, &most, 0, None), None);
    }

    #[test]
    fn folded_result_keeps_ends_and_names_read_command() {
        let content = format!("{}{}{}", "a".repeat(900), "b".repeat(9_000), "c".repeat(300));
        let call = CallId::new("cal_k_7_0");
        let text =
            fold_result(TokenEstimator::GUESS, Language::En, &content, 0, Some(("results_read", &call)))
                .unwrap_or_default();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 3);
        assert_eq!(lines[0], "a".repeat(833));
        assert_eq!(
            lines[1],
            r#"[9090 characters left out. To read them: results_read {"call":"cal_k_7_0","from":833}]"#
        );
        assert_eq!(lines[2], "c".repeat(277));
    }

    #[test]
    fn read_offset_excludes_the_result_code() {
        let content = format!("EXECUTOR_ERROR: {}", "a".repeat(9_000));
        let call = CallId::new("cal_k_7_0");
        let text =
            fold_result(TokenEstimator::GUESS, Language::En, &content, 16, Some(("READ_RESULT", &call)));
        assert!(text.unwrap_or_default().contains(r#""from":817"#));
    }

    proptest! {
        #[test]
        fn what_stays_is_the_two_ends_and_always_shorter(content in "\\PC{0,300}") {
            let content = content.repeat(40);
            if let Some(text) = fold_result(TokenEstimator::GUESS, Language::Fr, &content, 0, None) {
                prop_assert!(text.len() < content.len());
                let start = text.lines().next().unwrap_or_default();
                prop_assert!(content.starts_with(start));
            }
        }
    }
}
