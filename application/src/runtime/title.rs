//! The automatic title of a chat, from its first message.

use entracte_domain::message::UserMessage;

use crate::terminal_text::one_line;

/// Maximum characters of a title: it fits a line of a list.
const TITLE_MAX_CHARS: usize = 48;

/// Minimum length of a title cut at a space; a shorter one is cut inside the word.
const WORD_FLOOR: usize = TITLE_MAX_CHARS / 2;

/// The first line of the message with words in it, cut at a word; the name of its first file if it has no words.
/// `None` if there is none.
pub(super) fn title(message: &UserMessage) -> Option<String> {
    let written = message.written_text();
    let text = match message.files().next() {
        Some(file) if written.trim().is_empty() => file.name.clone(),
        Some(_) | None => written,
    };
    let line = text.lines().map(str::trim).find(|line| line.chars().any(char::is_alphanumeric))?;
    let line =
        line.trim_start_matches(|mark: char| matches!(mark, '#' | '*' | '>' | '-') || mark.is_whitespace());
    // Any whitespace of a title is a space. Hidden characters count as the marks that are shown for them.
    let words = one_line(&line.split_whitespace().collect::<Vec<_>>().join(" "));
    (!words.is_empty()).then(|| cut(&words))
}

fn cut(words: &str) -> String {
    if words.chars().count() <= TITLE_MAX_CHARS {
        return words.to_owned();
    }
    let kept: String = words.chars().take(TITLE_MAX_CHARS - 1).collect();
    let is_between = words.chars().nth(TITLE_MAX_CHARS - 1).is_some_and(char::is_whitespace);
    let at_word = kept.rfind(' ').filter(|at| !is_between && kept[..*at].chars().count() >= WORD_FLOOR);
    let kept = at_word.map_or(kept.as_str(), |at| &kept[..at]);
    format!("{}…", kept.trim_end_matches(|mark: char| mark.is_whitespace() || mark.is_ascii_punctuation()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Input: a first message; expected: the title of the chat.
    #[test]
    fn title_is_first_line_cut_at_word() {
        let long = "Please compare the weights of this week with those of the week before";
        let endless = "x".repeat(80);
        let cases = [
            ("Hello", Some("Hello".to_owned())),
            ("\n\n  # Weights\nof June", Some("Weights".to_owned())),
            ("Two\twords   here", Some("Two words here".to_owned())),
            ("Weights\u{2003}of\u{3000}June", Some("Weights of June".to_owned())),
            ("Weights\u{200b} of June", Some("Weights⟨U+200B⟩ of June".to_owned())),
            (long, Some("Please compare the weights of this week with…".to_owned())),
            (
                "été à Évian, où l’eau est fraîche et les nuits calmes, dit-on",
                Some("été à Évian, où l’eau est fraîche et les nuits…".to_owned()),
            ),
            (&endless, Some(format!("{}…", "x".repeat(47)))),
            ("???\n!!!", None),
        ];
        for (said, expected) in cases {
            let found = title(&UserMessage::text(said));
            assert_eq!(found, expected, "{said:?}");
            assert!(found.is_none_or(|title| title.chars().count() <= TITLE_MAX_CHARS), "{said:?}");
        }
    }

    /// Input: a message with an escape sequence and a direction mark; expected: a title that a terminal shows
    /// literally.
    #[test]
    fn title_contains_no_terminal_controls() {
        let found = title(&UserMessage::text("\u{1b}[31mred\u{202e} txet")).unwrap_or_default();
        assert!(!found.chars().any(|c| c.is_control() || c == '\u{202e}'), "{found:?}");
    }
}
