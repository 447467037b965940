//! Letters of one alphabet among those of another.

/// The words of a text that mix Latin letters with similar letters of other scripts, without duplicates.
///
/// ```
/// use entracte_application::terminal_text::mixed_words;
///
/// assert_eq!(mixed_words("pay p\u{430}ypal, Привет"), ["p\u{430}ypal"]);
/// ```
pub fn mixed_words(text: &str) -> Vec<&str> {
    let is_part = |character: char| character.is_alphanumeric() || matches!(character, '_' | '-');
    let mut words: Vec<&str> = Vec::new();
    for word in text.split(|character| !is_part(character)) {
        // Most words are ASCII.
        if !word.is_ascii()
            && word.chars().any(is_latin)
            && word.chars().any(is_like_latin)
            && !words.contains(&word)
        {
            words.push(word);
            if words.len() == WORDS_MAX {
                break;
            }
        }
    }
    words
}

/// Letters of the script Latin, except fullwidth ones.
fn is_latin(character: char) -> bool {
    character.is_alphabetic()
        && matches!(u32::from(character),
            0x41..=0x5a | 0x61..=0x7a | 0xaa | 0xba | 0xc0..=0x2b8 | 0x2e0..=0x2e4 | 0x1d00..=0x1d25 | 0x1d2c..=0x1d5c
            | 0x1d62..=0x1d65 | 0x1d6b..=0x1d77 | 0x1d79..=0x1dbe | 0x1e00..=0x1eff | 0x2071 | 0x207f | 0x2090..=0x209c
            | 0x212a | 0x212b | 0x2132 | 0x214e | 0x2c60..=0x2c7f | 0xa722..=0xa787 | 0xa78b..=0xa7ff | 0xab30..=0xab64
            | 0xfb00..=0xfb06)
}

/// Letters of Greek, Cyrillic, Armenian and Cherokee, and fullwidth Latin ones.
fn is_like_latin(character: char) -> bool {
    character.is_alphabetic()
        && matches!(u32::from(character),
            0x370..=0x3ff | 0x400..=0x52f | 0x531..=0x58a | 0x13a0..=0x13fd | 0x1c80..=0x1c8a | 0x1d26..=0x1d2b
            | 0x1f00..=0x1fff | 0x2de0..=0x2dff | 0xa640..=0xa69f | 0xab70..=0xabbf | 0xff21..=0xff3a | 0xff41..=0xff5a)
}

/// The maximum number of words reported per text; a text that mixes more is not examined word by word.
const WORDS_MAX: usize = 20;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_words_mixing_alphabets_are_reported() {
        assert_eq!(
            mixed_words("p\u{430}ypal p\u{430}ypal B\u{3bf}b \u{ff41}b a-\u{43e}"),
            ["p\u{430}ypal", "B\u{3bf}b", "\u{ff41}b", "a-\u{43e}"]
        );
        assert_eq!(mixed_words("Zoë Œuvre 日本 Привет Ελλάδα naïve 20µm"), Vec::<&str>::new());
    }
}
