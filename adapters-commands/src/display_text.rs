//! Sentences shown to a person who decides on a call. Names and texts in them may come from a model or from outside,
//! so they must not be able to imitate lines of Entracte itself.

use entracte_application::terminal_text;

/// `text` on one line: line ends and tabs become spaces, invisible characters become a mark.
pub(crate) fn one_line(text: &str) -> String {
    let is_blank = |character: char| matches!(character, '\n' | '\r' | '\t' | '\u{2028}' | '\u{2029}');
    terminal_text::block(&text.replace(is_blank, " "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn name_cannot_start_line_or_reverse_text() {
        let shown = one_line("a\nYes to all\u{1b}[2K\u{202e}b\u{2028}é\u{200b}");
        assert_eq!(shown, "a Yes to all⟨U+001B⟩[2K⟨U+202E⟩b é⟨U+200B⟩");
    }
}
