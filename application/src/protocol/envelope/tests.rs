use entracte_domain::command::Command;
use entracte_domain::question::Question;
use entracte_domain::value::Value;
use proptest::prelude::*;

use super::*;

fn told(text: &str) -> Vec<String> {
    read(text).faults.into_iter().map(|fault| format!("{}: {}", fault.code, fault.text)).collect()
}

fn clean(text: &str) -> AiMessage {
    let reading = read(text);
    assert_eq!(reading.faults, [], "{text}");
    reading.message
}

#[test]
fn a_whole_reply_is_read_and_numbers_keep_their_text() {
    let text = r#"{"pre_text": "Noted.", "actions": [
        {"type": "CREATE_DATA", "params": {"weight": 70.50, "big": 12345678901234567890}},
        {"type": "TOUCH"}
    ], "validation_request": true, "post_text": "Done.", "keep_control": true, "queries": null}"#;
    let message = clean(text);
    assert_eq!(message.pre_text, "Noted.");
    assert_eq!(
        message.actions,
        [
            Command {
                name: "CREATE_DATA".into(),
                arguments: Value::from([
                    ("weight", Value::Number("70.50".into())),
                    ("big", Value::Number("12345678901234567890".into())),
                ]),
            },
            Command { name: "TOUCH".into(), arguments: Value::Object(Vec::new()) },
        ]
    );
    assert_eq!(message.queries, []);
    assert!(message.validation_request && message.keep_control && !message.completed);
    assert_eq!(message.post_text.as_deref(), Some("Done."));
    assert_eq!(message.original, text);
}

#[test]
fn questions_are_read() {
    let choice = r#"{"pre_text":"","question":{"type":"MultipleChoice","question":"Which?","options":["a","b"],"allow_other":true}}"#;
    let expected = Question::MultipleChoice {
        question: "Which?".into(),
        options: vec!["a".into(), "b".into()],
        allow_other: true,
    };
    assert_eq!(clean(choice).question, Some(expected));
    let yes_no = r#"{"pre_text":"","question":{"type":"Validation","message":"Go?"}}"#;
    assert_eq!(clean(yes_no).question, Some(Question::Validation { message: "Go?".into() }));
}

#[test]
fn text_around_the_object_is_put_aside() {
    let stray = |text: &str| {
        let reading = read(text);
        assert_eq!(reading.faults, [], "{text}");
        assert_eq!(reading.message.pre_text, "a } \" {");
        reading.stray
    };
    let object = r#"{"pre_text": "a } \" {"}"#;
    assert_eq!(stray(object), None);
    assert_eq!(stray(&format!("```json\n{object}\n```")), None);
    assert_eq!(stray(&format!("```\n{object}\n```\n")), None);
    assert_eq!(
        stray(&format!("Here, for {{x}} and [1]:\n```json\n{object}\n```\nHope it helps")).as_deref(),
        Some("Here, for {x} and [1]:\nHope it helps")
    );
    assert_eq!(stray(&format!("“Sure”\u{1F44D}{object}")).as_deref(), Some("“Sure”\u{1F44D}"));
}

#[test]
fn every_fault_is_named_with_its_path() {
    let text = r#"{"pre_txt": "x", "queries": {"a": 1}, "actions": [1, {"type": "A", "params": "no"},
        {"typ": "B", "params": {}}], "completed": "yes", "post_text": 3,
        "question": {"type": "MultipleChoice", "options": ["a", 2.50], "why": null}}"#;
    insta::assert_snapshot!(told(text).join("\n"), @"");
}

#[test]
fn a_question_must_be_whole() {
    let question = |question: &str| told(&format!(r#"{{"pre_text":"","question":{question}}}"#)).join("\n");
    let all = [
        question(r#""why?""#),
        question(r#"{}"#),
        question(r#"{"type":"Choice"}"#),
        question(r#"{"type":"Validation","message":null}"#),
        question(r#"{"type":"MultipleChoice","question":"Which?","options":["a"]}"#),
        question(r#"{"type":"MultipleChoice","question":"Which?"}"#),
    ];
    insta::assert_snapshot!(all.join("\n"), @"");
}

#[test]
fn lists_and_a_question_exclude_each_other() {
    let all = [
        r#"{"pre_text":"","queries":[{"type":"A"}],"actions":[{"type":"B"}]}"#,
        r#"{"pre_text":"","queries":[{"type":"A"}],"question":{"type":"Validation","message":"Go?"}}"#,
    ];
    insta::assert_snapshot!(all.map(told).concat().join("\n"), @"");
    clean(r#"{"pre_text":"","queries":[],"actions":[{"type":"B"}]}"#);
}

#[test]
fn no_object_several_and_broken_ones_are_faults() {
    let all = [
        "",
        "Just words.",
        r#"[{"pre_text": ""}]"#,
        r#"{"pre_text": ""} {"pre_text": ""}"#,
        "{",
        "Well:\n{\"pre_text\": \"cut he",
        r#"{"pre_text": "a" "b"}"#,
        r#"{"pre_text": "a", "pre_text": "b"}"#,
        r#"{{"pre_text": "a"}}"#,
    ];
    let told: Vec<String> =
        all.iter().map(|text| format!("{text:?}\n  {}", told(text).join("\n  "))).collect();
    insta::assert_snapshot!(told.join("\n"), @"");
}

#[test]
fn nothing_of_a_faulty_reply_is_left_to_run() {
    let text = r#"{"pre_text": "hm", "actions": [{"type": "A"}], "extra": 1}"#;
    let expected = AiMessage { pre_text: "hm".into(), original: text.into(), ..AiMessage::default() };
    assert_eq!(read(text).message, expected);
}

#[test]
fn hostile_replies_are_read_quickly_and_told_shortly() {
    let many_fields: String = (0..200_000).map(|index| format!("\"f{index}\":1,")).collect();
    let wide = format!("{{{many_fields}\"pre_text\":\"\"}}");
    assert_eq!(read(&wide).faults.len(), FAULTS_MAX);
    assert_eq!(
        read(&wide).faults.last().map(|fault| fault.text.clone()).as_deref(),
        Some("199981 more faults were left out")
    );
    let long_name = format!(r#"{{"pre_text":"","{}":1}}"#, "x".repeat(1_000_000));
    assert!(told(&long_name)[0].len() < 400);
    let ten_mb = 10_000_000;
    for piece in ["{", "[", "{\"", "{\"a\":", "{}", "\"", "\\", "{ ", "```"] {
        let text = piece.repeat(ten_mb / piece.len());
        assert_eq!(read(&text).faults.len(), 1, "{piece}");
    }
    let deep = format!("{}1{}", "{\"a\":".repeat(1_000_000), "}".repeat(1_000_000));
    assert_eq!(read(&deep).faults[0].code, "invalid_json");
}

/// A JSON value that is often nearly an envelope.
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

/// What the schema leaves to the reader.
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
        let validator = jsonschema::validator_for(&schema()).unwrap();
        let by_schema = validator.is_valid(&value) && !breaks_a_rule_beside_the_shape(&value);
        let reading = read(&value.to_string());
        prop_assert_eq!(by_schema, reading.faults.is_empty(), "{} {:?}", value, reading.faults);
    }

    #[test]
    fn any_text_is_read(text in r#"(\PC|[{}\[\]":,\\ \n]|"pre_text"|```json|null){0,60}"#) {
        let reading = read(&text);
        prop_assert_eq!(reading.message.original, text);
        prop_assert!(reading.faults.len() <= FAULTS_MAX);
    }
}

#[test]
fn the_schema_names_the_commands_and_their_arguments() {
    insta::assert_snapshot!(serde_json::to_string_pretty(&schema()).unwrap(), @"");
    let spec = crate::prompt::samples::catalog();
    let schema = schema_for(&spec);
    let validator = jsonschema::validator_for(&schema).unwrap();
    let valid = |text: &str| validator.is_valid(&serde_json::from_str(text).unwrap());
    assert!(valid(r#"{"pre_text":"","queries":[{"type":"ZONES","params":{}}]}"#));
    assert!(!valid(r#"{"pre_text":"","actions":[{"type":"ZONES","params":{}}]}"#));
    assert!(!valid(r#"{"pre_text":"","queries":[{"type":"ZONES","params":{"unknown":1}}]}"#));
}
