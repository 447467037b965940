//! Display of untrusted text: invisible characters and those that look like a space are marked, long texts are folded,
//! and similar names are distinguished.
//!
//! Only displayed text passes through here. Stored, checked and executed data keeps its bytes.

mod confusable_names;
mod mixed_scripts;
#[cfg(test)]
mod tests;

use std::fmt::Write as _;

use entracte_domain::value::JsonValue;

pub use confusable_names::{LIKENESS_NAMES_MAX, confusable_name_marks};
pub use mixed_scripts::mixed_words;

use crate::system::sha256;
use crate::texts::{LocalizedTexts, say};

/// An error and its causes in one sentence.
pub fn error_chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        let words = inner.to_string();
        if !text.contains(&words) {
            text.push_str(": ");
            text.push_str(&words);
        }
        cause = inner.source();
    }
    text
}

/// Whether a character is invisible, looks like a space, or moves, hides or reverses adjacent text: all controls and
/// formats of Unicode, all default-ignorable code points, and all blanks but the space and the two no-break ones,
/// U+00A0 and U+202F. Those two are ordinary: French has them before its punctuation, in its numbers and after its
/// titles.
pub fn is_invisible(character: char) -> bool {
    character.is_control()
        || matches!(character,
            '\u{ad}' | '\u{34f}' | '\u{600}'..='\u{605}' | '\u{61c}' | '\u{6dd}' | '\u{70f}' | '\u{890}' | '\u{891}'
            | '\u{8e2}' | '\u{115f}' | '\u{1160}' | '\u{1680}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
            | '\u{2000}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{205f}'..='\u{206f}' | '\u{2800}' | '\u{3000}'
            | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}'
            | '\u{110bd}' | '\u{110cd}' | '\u{13430}'..='\u{1345f}' | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

/// Whether the ends of a line may lose this character. Other blanks are marked there, too: a name that ends with one
/// is a different name.
fn is_trimmed(character: char) -> bool {
    matches!(character, ' ' | '\t' | '\n' | '\r' | '\u{a0}' | '\u{202f}')
}

fn push(shown: &mut String, character: char) {
    if is_invisible(character) {
        // Writing to a String cannot fail.
        let _ = write!(shown, "⟨U+{:04X}⟩", u32::from(character));
    } else {
        shown.push(character);
    }
}

/// Text over several lines: line ends and tabs are preserved, invisible characters are marked.
pub fn block(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(character) = rest.next() {
        match character {
            '\n' | '\t' => shown.push(character),
            '\r' if rest.peek() == Some(&'\n') => {}
            other => push(&mut shown, other),
        }
    }
    shown
}

/// Text on one line: line ends and tabs become a mark and a blank, invisible characters are marked.
pub fn one_line(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for (number, line) in text.trim_matches(is_trimmed).lines().enumerate() {
        if number > 0 {
            shown.push_str(" ↵ ");
        }
        for character in line.trim_matches(is_trimmed).chars() {
            match character {
                '\t' => shown.push(' '),
                other => push(&mut shown, other),
            }
        }
    }
    shown
}

/// JSON text in which every invisible character is JSON-escaped: the value is the same, and a person who edits it sees
/// all of it.
pub fn escape_json(json: &str) -> String {
    let mut shown = String::with_capacity(json.len());
    for character in json.chars() {
        if is_invisible(character) {
            let mut units = [0; 2];
            for unit in character.encode_utf16(&mut units) {
                let _ = write!(shown, "\\u{unit:04x}");
            }
        } else {
            shown.push(character);
        }
    }
    shown
}

/// Whether [`fold_text`] shows a text completely at this width.
pub fn fits(text: &str, width: usize) -> bool {
    one_line(text).chars().count() <= width
}

/// One line of at most about `width` characters. A longer text shows its beginning, its length and its digest, so that
/// two long values are never confused.
pub fn fold_text(text: &str, width: usize, texts: &LocalizedTexts) -> String {
    let shown = one_line(text);
    if shown.chars().count() <= width {
        return shown;
    }
    let digest = sha256(text.as_bytes()).to_string();
    let digest = digest.get(..DIGEST_DIGITS).unwrap_or(&digest);
    let mark = format!("… ⟨{}⟩", say!(texts, "folded", count = text.chars().count(), digest = digest));
    let kept = width.saturating_sub(mark.chars().count()).max(KEPT_MIN);
    format!("{}{mark}", shown.chars().take(kept).collect::<String>())
}

/// Each line of `text` behind a bar and at most `width` wide, so that it cannot look like a line of the program.
pub fn prefix_lines_with_bar(text: &str, width: usize) -> String {
    let width = width.saturating_sub(BAR.chars().count()).max(KEPT_MIN);
    let mut lines = Vec::new();
    for line in block(text).replace('\t', "    ").lines() {
        let characters: Vec<char> = line.chars().collect();
        if characters.is_empty() {
            lines.push(BAR.trim_end().to_owned());
        }
        // A wide character takes two columns of a terminal.
        let mut piece = String::new();
        let mut columns = 0;
        for character in characters {
            let wide = if u32::from(character) >= FIRST_WIDE { 2 } else { 1 };
            if columns + wide > width {
                lines.push(format!("{BAR}{}", std::mem::take(&mut piece)));
                columns = 0;
            }
            piece.push(character);
            columns += wide;
        }
        if !piece.is_empty() {
            lines.push(format!("{BAR}{piece}"));
        }
    }
    lines.join("\n")
}

/// The arguments of a call, one per line, `lines_max` at most, each of about `width` characters. Amounts and other
/// short values come first, so that a long text cannot push them out of sight; omitted ones are counted.
pub fn argument_lines(
    arguments: &JsonValue,
    lines_max: usize,
    width: usize,
    texts: &LocalizedTexts,
) -> TruncatedLines {
    let Some(members) = arguments.as_object() else {
        let json = arguments.to_json();
        let folds = usize::from(!fits(&json, width));
        return TruncatedLines { lines: vec![fold_text(&json, width, texts)], left_out: 0, folds };
    };
    let names: Vec<&str> = members.iter().map(|(name, _)| name.as_str()).collect();
    let mut order: Vec<&(String, JsonValue)> = members.iter().collect();
    order.sort_by_key(|(_, value)| rank(value));
    let name_width = NAME_WIDTH.max(width / 2);
    let line = |(name, value): &&(String, JsonValue)| {
        let is_whole = fits(name, name_width);
        let name = format!("{}{}", fold_text(name, name_width, texts), confusable_name_marks(name, &names));
        let room = width.saturating_sub(name.chars().count() + 2).max(KEPT_MIN);
        let marks = confusable_names::confusable_member_mark(value);
        let (json, room) = (value.to_json(), room.saturating_sub(marks.chars().count()));
        (format!("{name}: {}{marks}", fold_text(&json, room, texts)), is_whole && fits(&json, room))
    };
    let (lines, are_whole): (Vec<String>, Vec<bool>) = order.iter().take(lines_max).map(line).unzip();
    let folds = are_whole.into_iter().filter(|is_whole| !is_whole).count();
    TruncatedLines { left_out: order.len() - lines.len(), lines, folds }
}

/// Some lines, and the number of omitted ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TruncatedLines {
    /// The shown lines.
    pub lines: Vec<String>,
    /// The number of omitted lines.
    pub left_out: usize,
    /// The number of folded lines.
    pub folds: usize,
}

/// The display order: numbers and booleans, then short texts, then the rest, each in original order.
fn rank(value: &JsonValue) -> u8 {
    match value {
        JsonValue::Number(text) if text.len() <= SHORT_CHARS => 0,
        JsonValue::Null | JsonValue::Bool(_) => 1,
        JsonValue::Text(text) if text.len() <= SHORT_CHARS => 2,
        JsonValue::Number(_) | JsonValue::Text(_) => 3,
        JsonValue::List(_) | JsonValue::Object(_) => 4,
    }
}

/// The prefix of each line of untrusted text.
const BAR: &str = "│ ";
/// The number of hexadecimal digits shown of a digest.
const DIGEST_DIGITS: usize = 12;
/// The number of characters of a long value that are always shown.
const KEPT_MIN: usize = 16;
/// The maximum number of characters shown of a name.
const NAME_WIDTH: usize = 40;
/// The maximum size of a short value in bytes.
const SHORT_CHARS: usize = 60;
/// From this code point on, scripts whose characters take two columns.
const FIRST_WIDE: u32 = 0x1100;
