//! Round trips of values, and hostile texts.

use entracte_domain::value::JsonValue;
use proptest::prelude::*;
use proptest::sample::{Index, select};

use super::*;
use crate::codec::tests::arbitrary;

/// Whether `serde_json` accepts a text, with a depth limit below which this parser never stops first.
fn accepted_elsewhere(text: &str) -> bool {
    serde_json::from_str::<serde_json::Value>(text).is_ok()
}

/// Parses the text; expects the fault as a sentence, or the value as canonical text.
fn check(text: &str, expected: &str) {
    let found = parse(text).map_or_else(|fault| fault.to_string(), |value| value.canonical());
    assert_eq!(found, expected, "{text}");
}

proptest! {
    #[test]
    fn a_value_comes_back_from_its_text(value in arbitrary::value()) {
        prop_assert_eq!(parse(&value.to_json()).unwrap(), value);
    }

    #[test]
    fn machine_numbers_are_the_only_loss(value in arbitrary::value()) {
        let theirs: serde_json::Value = serde_json::from_str(&value.to_json()).unwrap();
        prop_assert_eq!(&to_serde(&value), &theirs);
        prop_assert_eq!(to_serde(&from_serde(&theirs)), theirs);
    }

    /// Near-JSON texts are accepted or refused exactly as `serde_json` does.
    #[test]
    fn what_is_taken_is_what_serde_json_takes(
        value in arbitrary::value(),
        edits in proptest::collection::vec((any::<Index>(), select(PIECES.to_vec()), 0_usize..3), 0..4),
    ) {
        let mut text: Vec<char> = value.to_json().chars().collect();
        for (at, piece, drop) in edits {
            let at = at.index(text.len() + 1);
            let end = (at + drop).min(text.len());
            text.splice(at..end, piece.chars());
        }
        let text: String = text.into_iter().collect();
        match parse(&text) {
            Ok(_) => prop_assert!(accepted_elsewhere(&text), "taken: {text}"),
            Err(fault) if fault.says.ends_with("stands twice") => prop_assert!(accepted_elsewhere(&text)),
            Err(fault) => prop_assert!(!accepted_elsewhere(&text), "refused: {text}: {fault}"),
        }
    }

    #[test]
    fn any_text_is_taken_as_serde_json_takes_it(text: String) {
        prop_assert_eq!(parse(&text).is_ok(), accepted_elsewhere(&text));
    }
}

const PIECES: [&str; 24] = [
    "", "\"", "\\", "\\ud800", "\\udc00", "\\u0041", "{", "}", "[", "]", ",", ":", "0", "1", "-", ".", "e9",
    "1e999", "\n", "\t", " ", "\u{feff}", "null", "\"a\":1,",
];

#[test]
fn numbers_keep_their_text() {
    check(
        "[1.50, 12345678901234567890123, -0, 1E5, 0.10e-2]",
        "[1.50,12345678901234567890123,-0,1E5,0.10e-2]",
    );
    check("1e999", "number out of range (line 1, column 1)");
    check("01", "invalid number (line 1, column 2)");
    check("NaN", "expected value (line 1, column 1)");
}

/// Input: texts of other programs; expected: `serde_json` prints them so, with the digits that it may round.
#[test]
fn foreign_text_is_read_as_libraries_read_it() {
    let check = |text: &str, expected: &str| assert_eq!(parse_foreign(text).unwrap().to_json(), expected);
    check(
        r#"{"b":[1e2,1E5,1e-2,1.0E+05],"a":{"d":-0,"c":72.50}}"#,
        r#"{"a":{"c":72.50,"d":-0},"b":[1e+2,1e+5,1e-2,1.0e+05]}"#,
    );
    check(r#"{"a":1,"b":2,"a":3,"b":4,"a":5}"#, r#"{"a":5,"b":4}"#);
    check("[1e999, 123456789012345678901]", "[1e+999,123456789012345678901]");
    assert!(parse_foreign("[01]").is_err());
    assert!(parse_foreign(&nested(FOREIGN_DEPTH_MAX)).is_ok());
    assert!(parse_foreign(&nested(FOREIGN_DEPTH_MAX + 1)).is_err());
    assert!(serde_json::from_str::<serde_json::Value>(&nested(FOREIGN_DEPTH_MAX)).is_ok());
    assert!(serde_json::from_str::<serde_json::Value>(&nested(FOREIGN_DEPTH_MAX + 1)).is_err());
}

#[test]
fn document_is_read_without_loss() {
    let document = r#"{"b":[1E5,1e999],"a":{"d":72.50,"c":null}}"#;
    assert_eq!(parse_document(document), parse_foreign(document));
    let fault = parse_document("{\"b\":1,\n\"a\":[{\"c\":1,\"\\u0063\":2}]}").unwrap_err();
    assert_eq!(fault.to_string(), "the name “c” stands twice (line 2, column 22, at /a/0/c)");
}

#[test]
fn duplicate_names_are_refused_with_their_path() {
    check(
        "{\"a\": [{},\n {\"b/c\": 1, \"b/c\": 2}]}",
        "the name “b/c” stands twice (line 2, column 20, at /a/1/b~1c)",
    );
    // The same name, written in two ways.
    check(r#"{"a":1,"\u0061":2}"#, "the name “a” stands twice (line 1, column 17, at /a)");
}

#[test]
fn fault_contains_its_position() {
    check("{\"a\": tru}", "expected ident (line 1, column 10)");
    check("{} {}", "trailing characters (line 1, column 4)");
    check("", "EOF while parsing a value (line 1, column 1)");
    check("{\"a\":\n [\"\\ud800\"]}", "unexpected end of hex escape (line 2, column 10, at /a/0)");
}

fn nested(depth: usize) -> String {
    format!("{}{}", "[".repeat(depth), "]".repeat(depth))
}

#[test]
fn depth_is_bounded() {
    assert!(parse(&nested(DEPTH_MAX)).is_ok());
    assert_eq!(depth(&parse(&nested(DEPTH_MAX)).unwrap()), DEPTH_MAX);
    let fault = parse(&nested(DEPTH_MAX + 1)).unwrap_err();
    assert_eq!(fault.says, "more than 64 lists and objects stand within one another");
    assert!(parse_stored(&nested(STORED_DEPTH_MAX)).is_ok());
    assert!(parse_stored(&nested(STORED_DEPTH_MAX + 1)).is_err());
}

#[test]
fn hostile_texts_are_refused_without_crash() {
    for text in [nested(100_000), "[".repeat(100_000), r#"{"a":"#.repeat(100_000)] {
        assert!(parse(&text).is_err());
    }
    let wide = format!("[{}1]", "1,".repeat(100_000));
    assert_eq!(parse(&wide).unwrap().as_list().map(<[JsonValue]>::len), Some(100_001));
    for text in [r#""\ud800""#, r#""\udc00\ud800""#, r#"{"\ud800":1}"#, "\"\u{1}\"", "\u{feff}1", "\u{0}"] {
        assert!(parse(text).is_err(), "{text}");
    }
}

#[test]
fn number_beyond_double_is_text_for_schemas() {
    assert_eq!(to_serde(&JsonValue::Number("1e999".into())), serde_json::json!("1e999"));
    assert_eq!(to_serde(&JsonValue::Number("7".into())), serde_json::json!(7));
}
