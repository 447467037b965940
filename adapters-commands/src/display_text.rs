//! Sentences for the person who is asked. Names and texts in them may come from a model or from outside, so they
//! must not be able to look like lines of Entracte's own.

use entracte_application::terminal_text;

/// `text` on one line: line ends and tabs become spaces, what cannot be seen becomes a mark.
pub(crate) fn one_line(text: &str) -> String {
    let is_blank = |character: char| matches!(character, '\n' | '\r' | '\t' | '\u{2028}' | '\u{2029}');
    terminal_text::block(&text.replace(is_blank, " "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_cannot_begin_a_line_or_turn_the_writing_around() {
        let shown = one_line("a\nYes to all\u{1b}[2K\u{202e}b\u{2028}é\u{200b}");
        assert_eq!(shown, "a Yes to all⟨U+001B⟩[2K⟨U+202E⟩b é⟨U+200B⟩");
    }
}
