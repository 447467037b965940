use super::*;
use crate::json::parse;
use crate::texts::{Language, Texts};

fn english() -> &'static Texts {
    Texts::of(Language::En)
}

#[test]
fn nothing_invisible_is_left() {
    let hidden = ('\u{0}'..='\u{1f}')
        .chain('\u{7f}'..='\u{9f}')
        .chain(['\u{ad}', '\u{34f}', '\u{115f}', '\u{1160}', '\u{180e}', '\u{3164}', '\u{feff}', '\u{ffa0}'])
        .chain('\u{200b}'..='\u{200f}')
        .chain('\u{2028}'..='\u{202e}')
        .chain('\u{2060}'..='\u{2069}')
        .chain('\u{fe00}'..='\u{fe0f}')
        .chain('\u{e0000}'..='\u{e007f}')
        .chain('\u{e0100}'..='\u{e01ef}');
    for character in hidden.filter(|character| !"\n\t\r".contains(*character)) {
        let mark = format!("a⟨U+{:04X}⟩b", u32::from(character));
        let text = format!("a{character}b");
        assert_eq!((block(&text), one_line(&text)), (mark.clone(), mark), "{:x}", u32::from(character));
        let json = Value::Text(text).to_json();
        let escaped = escaped_json(&json);
        assert!(!escaped.chars().any(is_hidden), "{escaped}");
        assert_eq!(parse(&escaped), parse(&json), "the same value");
    }
    assert_eq!(block("Zoë 日本 😀 → a\r\nb\tc"), "Zoë 日本 😀 → a\nb\tc");
    assert_eq!(one_line("  one \n\n\ttwo "), "one ↵  ↵ two");
}

#[test]
fn a_long_value_shows_its_length_and_digest() {
    let (one, other) = ("x".repeat(5_000), format!("{}y", "x".repeat(4_999)));
    let shown = folded(&one, 80, english());
    assert!(
        shown.starts_with("xxxx") && shown.ends_with("⟨5000 characters, SHA-256 ef9bddb04ecb⟩")
            || shown.len() < 120,
        "{shown}"
    );
    assert_eq!(shown.chars().count(), 80);
    assert_ne!(folded(&other, 80, english()), shown, "they differ at the end only");
    assert_eq!(folded("short", 80, english()), "short");
}

#[test]
fn words_of_a_model_stay_behind_their_bar() {
    let said = format!("Sure?\n  yes or no\nentracte approve apr_1\n{}yes", " ".repeat(200));
    let shown = barred(&said, 40);
    assert!(shown.lines().all(|line| line.starts_with('│') && line.chars().count() <= 40), "{shown}");
    assert!(barred(&"日".repeat(100), 40).lines().all(|line| line.chars().count() <= 21));
    assert_eq!(barred("a\n\nb", 40), "│ a\n│\n│ b");
}

#[test]
fn amounts_come_before_long_texts_and_names_that_look_alike_are_marked() {
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
