mod generated;
mod schema;

use entracte_domain::command::Command;
use entracte_domain::question::Question;
use entracte_domain::value::JsonValue;

use super::*;

fn told(text: &str) -> Vec<String> {
    parse_reply(text, Language::En)
        .faults
        .into_iter()
        .map(|fault| format!("{}: {}", fault.code, fault.text))
        .collect()
}

fn clean(text: &str) -> AiMessage {
    let reading = parse_reply(text, Language::En);
    assert_eq!(reading.faults, [], "{text}");
    reading.message
}

#[test]
fn complete_reply_parses_with_exact_numbers() {
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
                arguments: JsonValue::from([
                    ("weight", JsonValue::Number("70.50".into())),
                    ("big", JsonValue::Number("12345678901234567890".into())),
                ]),
            },
            Command { name: "TOUCH".into(), arguments: JsonValue::Object(Vec::new()) },
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
fn text_around_object_is_set_aside() {
    let stray = |text: &str| {
        let reading = parse_reply(text, Language::En);
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
    insta::assert_snapshot!(told(text).join("\n"), @r#"
    unknown_field: unknown field `pre_txt`; the allowed fields are: pre_text, queries, actions, validation_request, post_text, keep_control, question, completed, plan
    missing_field: `pre_text` is missing: it must be a string
    wrong_type: `queries` must be a list of commands, found an object
    wrong_type: `actions[0]` must be an object {"type": …, "params": {…}}, found the number 1
    wrong_type: `actions[1].params` must be an object, found the string "no"
    unknown_field: unknown field `actions[2].typ`; the allowed fields are: type, params
    missing_field: `actions[2].type` is missing: it must be a string
    wrong_type: `post_text` must be a string, found the number 3
    unknown_field: unknown field `question.why`; the allowed fields are: type, question, options, allow_other
    missing_field: `question.question` is missing: it must be a string
    wrong_type: `question.options[1]` must be a string, found the number 2.50
    wrong_type: `completed` must be true or false, found the string "yes"
    question_beside_commands: `question` is in the same reply as commands; ask the question alone, and act after the answer
    "#);
}

#[test]
fn a_question_asks_something_and_its_options_differ() {
    let question = |question: &str| told(&format!(r#"{{"pre_text":"","question":{question}}}"#)).join("\n");
    let all = [
        question(r#"{"type":"Validation","message":" "}"#),
        question(r#"{"type":"MultipleChoice","question":"","options":["a","b"]}"#),
        question(r#"{"type":"MultipleChoice","question":"Which?","options":["a",""]}"#),
        question(r#"{"type":"MultipleChoice","question":"Which?","options":["a","b","A "]}"#),
        question(r#"{"type":"MultipleChoice","question":"Which?","options":["a","b"]}"#),
    ];
    insta::assert_snapshot!(all.join("\n"), @r#"
    bad_question: `question` asks nothing; write what the user is asked
    bad_question: `question` asks nothing; write what the user is asked
    bad_question: option 2 of `question` is empty; write what the user would choose
    bad_question: options 1 and 3 of `question` are the same; each must differ
    "#);
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
    insta::assert_snapshot!(all.join("\n"), @r#"
    wrong_type: `question` must be an object, found the string "why?"
    bad_question: `question.type` must be "MultipleChoice" or "Validation", found nothing
    bad_question: `question.type` must be "MultipleChoice" or "Validation", found the string "Choice"
    missing_field: `question.message` is missing: it must be a string
    bad_question: `question.options` must be a list of two strings or more, found a list of 1
    missing_field: `question.options` is missing: it must be a list of two strings or more
    "#);
}

#[test]
fn lists_and_a_question_exclude_each_other() {
    let all = [
        r#"{"pre_text":"","queries":[{"type":"A"}],"actions":[{"type":"B"}]}"#,
        r#"{"pre_text":"","queries":[{"type":"A"}],"question":{"type":"Validation","message":"Go?"}}"#,
    ];
    insta::assert_snapshot!(all.map(told).concat().join("\n"), @"
    both_lists: `queries` and `actions` are in the same reply; ask for the queries first, and act in a later reply
    question_beside_commands: `question` is in the same reply as commands; ask the question alone, and act after the answer
    ");
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
    insta::assert_snapshot!(told.join("\n"), @r#"
    ""
      no_object: the reply is empty, expected one JSON object that begins with {"pre_text": …}
    "Just words."
      no_object: the reply contains no JSON object, expected one JSON object that begins with {"pre_text": …}
    "[{\"pre_text\": \"\"}]"
      invalid_json: the JSON object is inside other brackets; the reply must be the object itself
    "{\"pre_text\": \"\"} {\"pre_text\": \"\"}"
      several_objects: the reply contains 2 JSON objects, expected one that contains everything
    "{"
      cut: the JSON object that begins on line 1 of the reply is not closed: the reply was cut, or a quote inside a string is not escaped as \"
    "Well:\n{\"pre_text\": \"cut he"
      cut: the JSON object that begins on line 2 of the reply is not closed: the reply was cut, or a quote inside a string is not escaped as \"
    "{\"pre_text\": \"a\" \"b\"}"
      invalid_json: the object is not valid JSON: expected `,` or `}` (line 1, column 18)
    "{\"pre_text\": \"a\", \"pre_text\": \"b\"}"
      invalid_json: the object is not valid JSON: the name “pre_text” stands twice (line 1, column 31, at /pre_text)
    "{{\"pre_text\": \"a\"}}"
      invalid_json: the JSON object is inside other brackets; the reply must be the object itself
    "#);
}

#[test]
fn faulty_reply_runs_nothing() {
    let text = r#"{"pre_text": "hm", "actions": [{"type": "A"}], "extra": 1}"#;
    let expected = AiMessage { pre_text: "hm".into(), original: text.into(), ..AiMessage::default() };
    assert_eq!(parse_reply(text, Language::En).message, expected);
}

#[test]
fn an_agent_ends_and_asks() {
    let said = clean(
        r#"{"pre_text": "", "EXIT_WITH_RESULT": {"reason": "done", "result": {"n": 1}, "conclusion": "One."}}"#,
    );
    let exit = said.exit.expect("it ends");
    assert_eq!((exit.reason.as_str(), exit.result.to_json().as_str()), ("done", r#"{"n":1}"#));
    let asked = |whom: &str| {
        let text = format!(r#"{{"pre_text": "", "ASK_PRINCIPAL_AGENT": {{"question": "Which?"{whom}}}}}"#);
        let asks = clean(&text).asks.expect("it asks");
        (asks.question, asks.user)
    };
    assert_eq!(asked(""), ("Which?".to_owned(), false));
    assert_eq!(asked(r#", "for": "user""#), ("Which?".to_owned(), true));
}

#[test]
fn a_run_ends_with_its_report() {
    let said = clean(r#"{"pre_text": "So.", "TERMINATE_TASK": {"report": "Two were sent."}}"#);
    assert!(said.completed);
    assert_eq!(said.pre_text, "So.\n\nTwo were sent.");
}

#[test]
fn faults_of_endings_are_named() {
    let cases = [
        (r#"{"pre_text": "", "EXIT_WITH_RESULT": "done"}"#, "`EXIT_WITH_RESULT` must be an object"),
        (
            r#"{"pre_text": "", "EXIT_WITH_RESULT": {"reason": "r", "conclusion": "c"}}"#,
            "`EXIT_WITH_RESULT.result` is missing",
        ),
        (
            r#"{"pre_text": "", "EXIT_WITH_RESULT": {"reason": "r", "result": 3, "conclusion": "c"}}"#,
            "`EXIT_WITH_RESULT.result` must be an object",
        ),
        (
            r#"{"pre_text": "", "ASK_PRINCIPAL_AGENT": {"question": "q", "for": "bob"}}"#,
            "\"agent\" or \"user\"",
        ),
    ];
    for (text, expected) in cases {
        let faults = parse_reply(text, Language::En).faults;
        assert!(faults.iter().any(|fault| fault.text.contains(expected)), "{text}: {faults:?}");
    }
}
