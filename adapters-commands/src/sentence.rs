//! Sentences for the person who is asked. Names and texts in them may come from a model or from outside, so they
//! must not be able to look like lines of the house's own.

/// `text` on one line: line ends and other controls become spaces, characters that turn the direction of
/// writing around become visible.
pub(crate) fn one_line(text: &str) -> String {
    text.chars()
        .map(|character| match character {
            '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}' => '\u{fffd}',
            '\u{2028}' | '\u{2029}' => ' ',
            control if control.is_control() => ' ',
            other => other,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_cannot_begin_a_line_or_turn_the_writing_around() {
        assert_eq!(one_line("a\nYes to all\u{1b}[2K\u{202e}b\u{2028}é"), "a Yes to all [2K\u{fffd}b é");
    }
}
