//! Converts words to index terms: NFKC, lower case, no diacritics, no stop words, stems. The same for documents and
//! queries.

use std::ops::Range;

use rust_stemmers::Stemmer;
use unicode_normalization::UnicodeNormalization;

use super::IndexLanguage;

/// The maximum length of a term, in characters; longer terms are truncated.
pub const MAX_TERM_CHARS: usize = 64;

/// Characters that join the parts of a word with digits: `INV-2026/004`, `1.2.3`.
const JOINTS: &[char] = &['-', '.', '_', '/', ':', '+', '@', '#'];

/// A word of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct IndexToken {
    /// Its byte range.
    pub(super) at: Range<usize>,
    /// Lower case, without diacritics.
    pub(super) plain: String,
    /// Whether it is not stemmed: it contains digits, or its script writes words without spaces.
    pub(super) as_it_is: bool,
}

/// The terms of a text in a language, in order; letters and digits only.
pub fn terms(text: &str, tongue: IndexLanguage) -> Vec<String> {
    let stemmer = stemmer(tongue);
    words(text).into_iter().filter_map(|word| term(&word, tongue, stemmer.as_ref())).collect()
}

/// The stemmer of a language.
pub(super) fn stemmer(tongue: IndexLanguage) -> Option<Stemmer> {
    tongue.stemming().map(Stemmer::create)
}

/// The term of a word; `None` for a stop word.
pub(super) fn term(word: &IndexToken, tongue: IndexLanguage, stemmer: Option<&Stemmer>) -> Option<String> {
    if tongue.is_stop_word(&word.plain) {
        return None;
    }
    let stem = match stemmer {
        Some(stemmer) if !word.as_it_is => stemmer.stem(&word.plain).into_owned(),
        Some(_) | None => word.plain.clone(),
    };
    let term: String = stem.chars().filter(|c| is_letter(*c)).take(MAX_TERM_CHARS).collect();
    (!term.is_empty()).then_some(term)
}

/// The words of a text, in order. A joined word with digits yields its parts and the whole.
pub(super) fn words(text: &str) -> Vec<IndexToken> {
    let mut found = Vec::new();
    let mut characters = text.char_indices().peekable();
    while let Some((start, first)) = characters.next() {
        if !is_letter(first) {
            continue;
        }
        let mut parts: Vec<Range<usize>> = Vec::new();
        let mut part = start;
        let mut end = start + first.len_utf8();
        while let Some(&(at, character)) = characters.peek() {
            if is_letter(character) {
                characters.next();
                end = at + character.len_utf8();
            } else if JOINTS.contains(&character)
                && text[at + character.len_utf8()..].chars().next().is_some_and(is_letter)
            {
                characters.next();
                parts.push(part..at);
                part = at + character.len_utf8();
            } else {
                break;
            }
        }
        parts.push(part..end);
        let is_joined = parts.len() > 1;
        for part in parts {
            push_part(text, part, &mut found);
        }
        let whole = &text[start..end];
        if is_joined && whole.chars().any(char::is_numeric) {
            let plain = plain(whole);
            found.push(IndexToken { at: start..end, plain, as_it_is: true });
        }
    }
    found
}

/// Appends one part of a word: unchanged, or as pairs of characters if its script has no spaces between words.
fn push_part(text: &str, at: Range<usize>, found: &mut Vec<IndexToken>) {
    let part = &text[at.clone()];
    if !part.chars().any(is_dense) {
        let plain = plain(part);
        if !plain.is_empty() {
            let as_it_is = plain.chars().any(char::is_numeric);
            found.push(IndexToken { at, plain, as_it_is });
        }
        return;
    }
    let places: Vec<(usize, char)> = part.char_indices().collect();
    let mut from = 0;
    while from < places.len() {
        let dense = is_dense(places[from].1);
        let to =
            (from..places.len()).find(|&index| is_dense(places[index].1) != dense).unwrap_or(places.len());
        let byte = |index: usize| at.start + places.get(index).map_or(part.len(), |(byte, _)| *byte);
        if dense && to - from > 1 {
            for first in from..to - 1 {
                push_plain(text, byte(first)..byte(first + 2), found);
            }
        } else {
            push_plain(text, byte(from)..byte(to), found);
        }
        from = to;
    }
}

fn push_plain(text: &str, at: Range<usize>, found: &mut Vec<IndexToken>) {
    let plain = plain(&text[at.clone()]);
    if !plain.is_empty() {
        found.push(IndexToken { at, plain, as_it_is: true });
    }
}

/// Lower case, without diacritics, with ligatures and special letters expanded; letters and digits only.
fn plain(word: &str) -> String {
    if word.is_ascii() {
        return word.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect();
    }
    let lower: String = word.nfkc().flat_map(char::to_lowercase).collect();
    let mut bare = String::with_capacity(lower.len());
    for character in lower.nfd().filter(|character| !is_diacritic(*character)).nfc() {
        match two_letters(character) {
            Some(letters) => bare.push_str(letters),
            None if is_letter(character) => bare.push(character),
            None => {}
        }
    }
    bare
}

fn two_letters(character: char) -> Option<&'static str> {
    Some(match character {
        'ß' => "ss",
        'æ' => "ae",
        'œ' => "oe",
        'ø' => "o",
        'ł' => "l",
        'đ' | 'ð' => "d",
        'þ' => "th",
        'ı' => "i",
        _ => return None,
    })
}

fn is_letter(character: char) -> bool {
    character.is_alphanumeric() || is_diacritic(character) || is_dense(character)
}

/// Marks on letters of Latin, Greek, Cyrillic, Hebrew and Arabic; in other scripts marks are vowels.
fn is_diacritic(character: char) -> bool {
    matches!(u32::from(character),
        0x0300..=0x036f | 0x0591..=0x05bd | 0x05bf | 0x05c1 | 0x05c2 | 0x064b..=0x065f | 0x0670 | 0x1dc0..=0x1dff)
}

/// Whether the character's script has no spaces between words.
fn is_dense(character: char) -> bool {
    matches!(u32::from(character),
        0x0e01..=0x0e4e | 0x0e81..=0x0ecd | 0x1000..=0x1049 | 0x1780..=0x17d3
        | 0x2e80..=0x2fdf | 0x3005..=0x3007 | 0x3031..=0x3035 | 0x3041..=0x309f | 0x30a1..=0x30ff | 0x3105..=0x312f
        | 0x31f0..=0x31ff | 0x3400..=0x4dbf | 0x4e00..=0x9fff | 0xac00..=0xd7af | 0xf900..=0xfaff
        | 0x20000..=0x3ffff)
}
