//! Sanitizes external text: text of a model, a file or another person must not move the cursor, change colours, or
//! hide from its reader.

pub(crate) use entracte_application::terminal_text::{
    TruncatedLines, argument_lines, block, confusable_name_marks, escape_json, fits, fold_text, mixed_words,
    one_line, prefix_lines_with_bar,
};
use entracte_application::texts::{LocalizedTexts, say};

/// The text cut at `width` columns, with a mark if something is missing.
pub(crate) fn cut(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    let mut cut: String = text.chars().take(width.saturating_sub(1)).collect();
    cut.push('…');
    cut
}

/// The name of a session on one line, or a text for an unnamed one.
pub(crate) fn name_of(name: &str, texts: &LocalizedTexts) -> String {
    if name.trim().is_empty() { say!(texts, "session-unnamed") } else { one_line(name) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_become_visible() {
        assert_eq!(block("a\x1b[31mb\u{202e}c\r\nd\te"), "a⟨U+001B⟩[31mb⟨U+202E⟩c\nd\te");
        assert_eq!(block("a\rb"), "a⟨U+000D⟩b", "a lone return would overwrite the line");
        assert_eq!(one_line("  one \n\n\ttwo\u{9b} "), "one ↵  ↵ two⟨U+009B⟩");
        assert_eq!(block("Zoë 日本 😀"), "Zoë 日本 😀");
    }

    #[test]
    fn cut_text_is_marked() {
        assert_eq!(cut("abcdef", 4), "abc…");
        assert_eq!(cut("abcd", 4), "abcd");
    }
}
