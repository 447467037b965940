use std::ops::RangeInclusive;

use super::*;
use crate::json_value::parse;
use crate::texts::{Language, LocalizedTexts};

fn english() -> &'static LocalizedTexts {
    LocalizedTexts::for_language(Language::En)
}

/// The general category Cf: `extracted/DerivedGeneralCategory.txt` of Unicode 17.0.
const FORMATS: [RangeInclusive<u32>; 21] = [
    0xad..=0xad,
    0x600..=0x605,
    0x61c..=0x61c,
    0x6dd..=0x6dd,
    0x70f..=0x70f,
    0x890..=0x891,
    0x8e2..=0x8e2,
    0x180e..=0x180e,
    0x200b..=0x200f,
    0x202a..=0x202e,
    0x2060..=0x2064,
    0x2066..=0x206f,
    0xfeff..=0xfeff,
    0xfff9..=0xfffb,
    0x110bd..=0x110bd,
    0x110cd..=0x110cd,
    0x13430..=0x1343f,
    0x1bca0..=0x1bca3,
    0x1d173..=0x1d17a,
    0xe0001..=0xe0001,
    0xe0020..=0xe007f,
];

/// `Default_Ignorable_Code_Point`: `DerivedCoreProperties.txt` of Unicode 17.0.
const IGNORABLE: [RangeInclusive<u32>; 17] = [
    0xad..=0xad,
    0x34f..=0x34f,
    0x61c..=0x61c,
    0x115f..=0x1160,
    0x17b4..=0x17b5,
    0x180b..=0x180f,
    0x200b..=0x200f,
    0x202a..=0x202e,
    0x2060..=0x206f,
    0x3164..=0x3164,
    0xfe00..=0xfe0f,
    0xfeff..=0xfeff,
    0xffa0..=0xffa0,
    0xfff0..=0xfff8,
    0x1bca0..=0x1bca3,
    0x1d173..=0x1d17a,
    0xe0000..=0xe0fff,
];

/// Blank characters that are not spaces of Unicode: a braille cell without dots, and the signs and the reserved code
/// points of the block Egyptian Hieroglyph Format Controls that are not formats (`Blocks.txt`).
const EMPTY: [RangeInclusive<u32>; 2] = [0x2800..=0x2800, 0x13440..=0x1345f];

/// The blanks of ordinary text: the space, and the two that French has before its punctuation and in its numbers.
const ORDINARY: [char; 3] = [' ', '\u{a0}', '\u{202f}'];

fn is_unseen(character: char) -> bool {
    let is_in = |ranges: &[RangeInclusive<u32>]| ranges.iter().any(|one| one.contains(&u32::from(character)));
    let is_blank = character.is_whitespace() && !ORDINARY.contains(&character);
    is_blank || character.is_control() || is_in(&FORMATS) || is_in(&IGNORABLE) || is_in(&EMPTY)
}

/// Input: every character; expected: exactly those that Unicode defines as invisible, or as blanks other than those of
/// ordinary text, are marked.
#[test]
fn exactly_unicodes_invisible_characters_are_marked() {
    let wrong: Vec<String> = ('\0'..=char::MAX)
        .filter(|character| is_invisible(*character) != is_unseen(*character))
        .map(|character| format!("{:04X}", u32::from(character)))
        .collect();
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn nothing_invisible_is_left() {
    let hidden = ('\0'..=char::MAX).filter(|character| is_unseen(*character));
    for character in hidden.filter(|character| !"\n\t\r".contains(*character)) {
        // At both ends, too: a name that ends with a blank is a different name.
        let mark = format!("⟨U+{:04X}⟩", u32::from(character));
        let mark = format!("{mark}a{mark}b{mark}");
        let text = format!("{character}a{character}b{character}");
        assert_eq!((block(&text), one_line(&text)), (mark.clone(), mark), "{:x}", u32::from(character));
        let json = JsonValue::Text(text).to_json();
        let escaped = escape_json(&json);
        assert!(!escaped.chars().any(is_invisible), "{escaped}");
        assert_eq!(parse(&escaped), parse(&json), "the same value");
    }
    assert_eq!(block("Zoë 日本 😀 → a\r\nb\tc"), "Zoë 日本 😀 → a\nb\tc");
    let french =
        "«\u{a0}Où est M.\u{a0}Larribe\u{202f}?\u{a0}»\u{a0}: il doit 2\u{202f}480,00\u{a0}€\u{202f}!";
    assert_eq!((block(french), one_line(french)), (french.to_owned(), french.to_owned()));
    assert_eq!(one_line("  one \n\n\ttwo "), "one ↵  ↵ two");
}

#[test]
fn a_long_value_shows_its_length_and_digest() {
    let (one, other) = ("x".repeat(5_000), format!("{}y", "x".repeat(4_999)));
    let shown = fold_text(&one, 80, english());
    assert!(
        shown.starts_with("xxxx") && shown.ends_with("⟨5000 characters, SHA-256 ef9bddb04ecb⟩")
            || shown.len() < 120,
        "{shown}"
    );
    assert_eq!(shown.chars().count(), 80);
    assert_ne!(fold_text(&other, 80, english()), shown, "they differ at the end only");
    assert_eq!(fold_text("short", 80, english()), "short");
}

#[test]
fn model_text_stays_behind_its_bar() {
    let said = format!("Sure?\n  yes or no\nentracte approve apr_1\n{}yes", " ".repeat(200));
    let shown = prefix_lines_with_bar(&said, 40);
    assert!(shown.lines().all(|line| line.starts_with('│') && line.chars().count() <= 40), "{shown}");
    assert!(prefix_lines_with_bar(&"日".repeat(100), 40).lines().all(|line| line.chars().count() <= 21));
    assert_eq!(prefix_lines_with_bar("a\n\nb", 40), "│ a\n│\n│ b");
}

#[test]
fn amounts_come_first_similar_names_are_marked() {
    let mut text = r#"{"body": ""#.to_owned();
    text.push_str(&"z".repeat(10_000));
    text.push_str(r#"", "to": "FR76", "amount": 100.00, "am\u043eunt": 1, "paypaI": true, "paypal": false}"#);
    let shown = argument_lines(&parse(&text).unwrap(), 5, 60, english());
    assert_eq!(
        shown.lines,
        [
            "amount: 100.00",
            "amоunt ⟨U+043E⟩ ⟨≠ amount⟩: 1",
            "paypaI ⟨≠ paypal⟩: true",
            "paypal ⟨≠ paypaI⟩: false",
            "to: \"FR76\"",
        ]
        .map(str::to_owned)
        .into_iter()
        .enumerate()
        .map(|(place, line)| if place == 0 { "amount ⟨≠ amоunt⟩: 100.00".to_owned() } else { line })
        .collect::<Vec<_>>()
    );
    assert_eq!(shown.left_out, 1);
    let nested = argument_lines(&parse(r#"{"a": {"x": 1, "\u200bx": 2}}"#).unwrap(), 5, 200, english());
    assert_eq!(nested.lines, ["a: {\"x\":1,\"⟨U+200B⟩x\":2} ⟨look at its names⟩"]);
    assert!(
        argument_lines(&parse(r#"{"a": {"x": 1, "y": 2}}"#).unwrap(), 5, 200, english()).lines[0]
            .ends_with("2}")
    );
}

/// Input: arguments whose names differ by a blank that looks like a space or is invisible; expected: each shows it.
#[test]
fn names_differing_by_blank_are_distinguished() {
    let told = |json: &str| argument_lines(&parse(json).unwrap(), 5, 60, english()).lines;
    assert_eq!(
        told(r#"{"amount": 1, "amount\u2003": 2}"#),
        ["amount ⟨≠ amount⟨U+2003⟩⟩: 1", "amount⟨U+2003⟩ ⟨≠ amount⟩: 2"]
    );
    assert_eq!(
        told(r#"{"pay to": 1, "pay\u3000to": 2}"#),
        ["pay to ⟨≠ pay⟨U+3000⟩to⟩: 1", "pay⟨U+3000⟩to ⟨≠ pay to⟩: 2"]
    );
    // A no-break space is ordinary in a text, and marked in a name.
    assert_eq!(
        told(r#"{"pay to": 1, "pay\u00a0to": 2}"#),
        ["pay to ⟨≠ pay\u{a0}to⟩: 1", "pay\u{a0}to ⟨U+00A0⟩ ⟨≠ pay to⟩: 2"]
    );
}
