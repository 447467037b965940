//! Values that look like something else than they are. No standing approval covers one that its author did not see.

use entracte_domain::validation::{ArgumentCondition, StandingApprovalRule, conditions_on};
use entracte_domain::value::JsonValue;

use crate::terminal_text::{is_invisible, mixed_words};

/// Whether a rule would approve a deceptive value that it does not list itself.
pub(super) fn admits_deception(rule: &StandingApprovalRule, arguments: &JsonValue) -> bool {
    arguments.as_object().unwrap_or_default().iter().any(|(name, value)| {
        let is_listed = conditions_on(&rule.arguments, name).any(ArgumentCondition::lists_values);
        !is_listed && is_deceptive(value)
    })
}

/// Whether a text in a value has characters that are not shown, or a word of several alphabets.
fn is_deceptive(value: &JsonValue) -> bool {
    match value {
        JsonValue::Text(text) => hides_characters(text) || !mixed_words(text).is_empty(),
        JsonValue::List(items) => items.iter().any(is_deceptive),
        JsonValue::Object(members) => members.iter().any(|(name, value)| {
            hides_characters(name) || !mixed_words(name).is_empty() || is_deceptive(value)
        }),
        JsonValue::Null | JsonValue::Bool(_) | JsonValue::Number(_) => false,
    }
}

/// Whether a text has invisible characters, except line ends, tabs, and the joints of emoji.
fn hides_characters(text: &str) -> bool {
    let mut before = None;
    text.chars().any(|sign| {
        let is_joint = matches!(sign, '\u{fe0f}' | '\u{200d}')
            && before.is_some_and(|before: char| !before.is_ascii() && !before.is_alphanumeric());
        before = Some(sign);
        is_invisible(sign) && !is_joint && !matches!(sign, '\n' | '\r' | '\t')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Input: a value that a rule does not list; expected: whether it deceives whoever reads it.
    #[test]
    fn hidden_characters_and_mixed_alphabets_deceive() {
        let within =
            |text: &str| JsonValue::Object(vec![("note".into(), JsonValue::List(vec![text.into()]))]);
        for text in ["Invoice 7\nThank you.", "Zo\u{eb} \u{2764}\u{fe0f}", "\u{41f}\u{440}\u{438}", ""] {
            assert!(!is_deceptive(&within(text)), "{text:?}");
        }
        for text in ["pay\u{200d}pal", "p\u{430}ypal", "a\u{202e}b", "\u{feff}a", "a\0"] {
            assert!(is_deceptive(&within(text)), "{text:?}");
        }
    }
}
