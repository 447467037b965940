//! Words that come from outside, made harmless: what a model, a file or another person said must not move the
//! cursor, change colours, or reorder what stands around it.

use std::fmt::Write as _;

/// Whether a terminal could take this character for an order, or turn the order of others round.
fn is_harmful(character: char) -> bool {
    character.is_control()
        || matches!(character,
            '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}' | '\u{2029}' | '\u{202a}'..='\u{202e}'
            | '\u{2066}'..='\u{2069}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

fn push_safe(safe: &mut String, character: char) {
    if is_harmful(character) {
        // Writing to a String cannot fail.
        let _ = write!(safe, "\\u{{{:x}}}", u32::from(character));
    } else {
        safe.push(character);
    }
}

/// Text over several lines: line ends and tabs stay.
pub(crate) fn block(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(character) = rest.next() {
        match character {
            '\n' | '\t' => safe.push(character),
            '\r' if rest.peek() == Some(&'\n') => {}
            other => push_safe(&mut safe, other),
        }
    }
    safe
}

/// Text on one line: blanks are drawn together, line ends become a mark.
pub(crate) fn one_line(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for (number, line) in text.trim().lines().enumerate() {
        if number > 0 {
            safe.push_str(" ↵ ");
        }
        for character in line.trim().chars() {
            match character {
                '\t' => safe.push(' '),
                other => push_safe(&mut safe, other),
            }
        }
    }
    safe
}

/// The text cut at `width` columns, with a mark where something is missing.
pub(crate) fn cut(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    let mut cut: String = text.chars().take(width.saturating_sub(1)).collect();
    cut.push('…');
    cut
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_to_the_terminal_become_visible() {
        assert_eq!(block("a\x1b[31mb\u{202e}c\r\nd\te"), "a\\u{1b}[31mb\\u{202e}c\nd\te");
        assert_eq!(block("a\rb"), "a\\u{d}b", "a lone return would overwrite the line");
        assert_eq!(one_line("  one \n\n\ttwo\u{9b} "), "one ↵  ↵ two\\u{9b}");
        assert_eq!(block("Zoë 日本 😀"), "Zoë 日本 😀");
    }

    #[test]
    fn a_cut_is_marked() {
        assert_eq!(cut("abcdef", 4), "abc…");
        assert_eq!(cut("abcd", 4), "abcd");
    }
}
