//! Hostile replies, and the agreement of schema and reader.

use proptest::prelude::*;

use super::super::*;
use super::told;
use crate::json_value::to_serde;

#[test]
fn hostile_replies_parse_quickly_with_short_faults() {
    let many_fields: String = (0..200_000).map(|index| format!("\"f{index}\":1,")).collect();
    let wide = format!("{{{many_fields}\"pre_text\":\"\"}}");
    assert_eq!(parse_reply(&wide, Language::En).faults.len(), FAULTS_MAX);
    assert_eq!(
        parse_reply(&wide, Language::En).faults.last().map(|fault| fault.text.clone()).as_deref(),
        Some("199981 more errors were left out")
    );
    let long_name = format!(r#"{{"pre_text":"","{}":1}}"#, "x".repeat(1_000_000));
    assert!(told(&long_name)[0].len() < 400);
    let ten_mb = 10_000_000;
    for piece in ["{", "[", "{\"", "{\"a\":", "{}", "\"", "\\", "{ ", "```"] {
        let text = piece.repeat(ten_mb / piece.len());
        assert_eq!(parse_reply(&text, Language::En).faults.len(), 1, "{piece}");
    }
    let deep = format!("{}1{}", "{\"a\":".repeat(1_000_000), "}".repeat(1_000_000));
    assert_eq!(parse_reply(&deep, Language::En).faults[0].code, "invalid_json");
}

/// A JSON value that often is nearly an envelope.
fn near_envelope() -> impl Strategy<Value = serde_json::Value> {
    use serde_json::json;
    let leaf = prop_oneof![
        Just(json!(null)),
        Just(json!(true)),
        Just(json!("text")),
        Just(json!(1.5)),
        Just(json!({})),
        Just(json!([])),
        Just(json!(["a", "b"])),
        Just(json!([{"type": "A", "params": {"n": [1]}}])),
        Just(json!([{"type": "A"}, {"type": "B", "params": null}])),
        Just(json!([{"type": "A", "other": 1}])),
        Just(json!([{"params": {}}])),
        Just(json!({"type": "Validation", "message": "Go?"})),
        Just(json!({"type": "MultipleChoice", "question": "Which?", "options": ["a", "b"]})),
        Just(json!({"type": "MultipleChoice", "question": "Which?", "options": ["a"], "allow_other": null})),
        Just(json!({"type": "MultipleChoice", "question": "Which?", "options": [1, 2], "allow_other": 1})),
        Just(json!({"type": "Validation", "message": "Go?", "options": []})),
    ];
    let names = vec![
        "pre_text",
        "queries",
        "actions",
        "validation_request",
        "post_text",
        "keep_control",
        "question",
        "completed",
        "other",
    ];
    let member = (proptest::sample::select(names), leaf);
    (any::<bool>(), proptest::collection::vec(member, 0..5)).prop_map(|(with_text, members)| {
        let mut object: serde_json::Map<_, _> =
            members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        if with_text {
            object.insert("pre_text".to_owned(), json!("hello"));
        }
        serde_json::Value::Object(object)
    })
}

/// The rules that the schema leaves to the parser.
fn breaks_a_rule_beside_the_shape(value: &serde_json::Value) -> bool {
    let full = |name: &str| value[name].as_array().is_some_and(|items| !items.is_empty());
    let question = &value["question"];
    let few = question["options"].as_array().is_some_and(|options| options.len() < 2);
    (full("queries") && full("actions"))
        || (!question.is_null() && (full("queries") || full("actions")))
        || few
}

proptest! {
    #[test]
    fn schema_and_reader_agree(value in near_envelope()) {
        let validator = jsonschema::validator_for(&to_serde(&schema())).unwrap();
        let by_schema = validator.is_valid(&value) && !breaks_a_rule_beside_the_shape(&value);
        let reading = parse_reply(&value.to_string(), Language::En);
        prop_assert_eq!(by_schema, reading.faults.is_empty(), "{} {:?}", value, reading.faults);
    }

    #[test]
    fn any_text_is_read(text in r#"(\PC|[{}\[\]":,\\ \n]|"pre_text"|```json|null){0,60}"#) {
        let reading = parse_reply(&text, Language::En);
        prop_assert_eq!(reading.message.original, text);
        prop_assert!(reading.faults.len() <= FAULTS_MAX);
    }
}
