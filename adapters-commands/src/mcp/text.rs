//! Text that comes from a server, before it is shown, logged or sent to a model.

use crate::sentence::one_line;

/// `text` with the characters that cannot be seen, or that turn the writing around, replaced by a mark: what a
/// person reads is what a model reads. Line ends and tabs stay.
pub(super) fn visible(text: &str) -> String {
    text.chars()
        .map(|character| match character {
            '\n' | '\t' => character,
            // Zero width, directions, line separators, invisible operators, tags, variation selectors.
            '\u{ad}'
            | '\u{180e}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{feff}'
            | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e01ef}' => '\u{fffd}',
            control if control.is_control() => '\u{fffd}',
            other => other,
        })
        .collect()
}

/// `text` as a line for the log or an error: at most `chars_max` characters, no controls.
pub(super) fn line(text: &str, chars_max: usize) -> String {
    let text = one_line(text.trim());
    let mut cut: String = text.chars().take(chars_max).collect();
    if cut.len() < text.len() {
        cut.push('…');
    }
    cut
}

/// The longest beginning of `text` that has at most `bytes_max` bytes.
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
        assert_eq!(visible("a\u{200b}b\u{e0041}c\u{7}\n\té"), "a\u{fffd}b\u{fffd}c\u{fffd}\n\té");
    }

    #[test]
    fn a_line_is_one_line_of_bounded_length() {
        assert_eq!(line("  a\u{1b}[2Kb\n", 10), "a [2Kb");
        assert_eq!(line("ééé", 2), "éé…");
    }

    #[test]
    fn a_beginning_ends_between_characters() {
        assert_eq!([0, 1, 2, 3, 9].map(|max| beginning("aéb", max)), ["", "a", "a", "aé", "aéb"]);
    }
}
