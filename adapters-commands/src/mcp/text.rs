//! Bounds texts of servers before they are displayed, logged or sent to a model.

use crate::display_text::one_line;

pub(super) use entracte_application::terminal_text::block as visible;

/// `text` on one line for a log or an error: at most `chars_max` characters, without control characters.
pub(super) fn line(text: &str, chars_max: usize) -> String {
    let text = one_line(text.trim());
    let mut cut: String = text.chars().take(chars_max).collect();
    if cut.len() < text.len() {
        cut.push('…');
    }
    cut
}

/// The longest prefix of `text` with at most `bytes_max` bytes.
pub(super) fn beginning(text: &str, bytes_max: usize) -> &str {
    let mut end = bytes_max.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_characters_become_marks() {
        assert_eq!(visible("a\u{200b}b\u{e0041}c\u{7}\n\té"), "a⟨U+200B⟩b⟨U+E0041⟩c⟨U+0007⟩\n\té");
    }

    #[test]
    fn line_is_single_and_bounded() {
        assert_eq!(line("  a\u{1b}[2Kb\n", 20), "a⟨U+001B⟩[2Kb");
        assert_eq!(line("ééé", 2), "éé…");
    }

    #[test]
    fn truncation_ends_at_character_boundary() {
        assert_eq!([0, 1, 2, 3, 9].map(|max| beginning("aéb", max)), ["", "a", "a", "aé", "aéb"]);
    }
}
