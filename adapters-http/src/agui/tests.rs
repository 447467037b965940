use std::sync::Arc;

use entracte_application::json_value::{ExactJson, parse, to_text};
use entracte_application::samples;
use entracte_application::stream::{ReplyChannel, StreamFrame, SupersessionReason};
use entracte_application::texts::{Language, LocalizedTexts};
use entracte_domain::id::{Digest, RoundAttempt, SessionId, WorkspaceKey};
use entracte_domain::message::UserMessage;
use entracte_domain::session::{Input, UserMessageSent};
use entracte_domain::value::JsonValue;
use serde_json::{Value, json};

use super::*;
use crate::shapes::card::DecisionShape;

fn english() -> &'static LocalizedTexts {
    LocalizedTexts::for_language(Language::En)
}

#[test]
fn thread_id_is_session_id_or_derives_one() {
    let (home, work) = (WorkspaceKey::new("ann:home"), WorkspaceKey::new("ann:work"));
    assert_eq!(session_of(&home, "ses_k1"), SessionId::new("ses_k1"));
    let derived = session_of(&home, "0b1c");
    assert_eq!(derived, session_of(&home, "0b1c"), "found again");
    assert_ne!(derived, session_of(&home, "0b1d"));
    assert_ne!(derived, session_of(&work, "0b1c"), "no name reaches another workspace");
    assert!(!derived.stem().contains('_'), "{derived}: ids are derived of it");
    assert!(!is_client_thread_name("ses_k1") && is_client_thread_name("0b1c"));
}

#[test]
fn only_an_explicit_yes_is_one() {
    let decided = |status: &str, payload: Value| {
        let entry = json!({ "interruptId": "apr_k1_1_0~d1", "status": status, "payload": payload });
        match parse_interrupt_answer(&serde_json::from_value(entry).unwrap()) {
            Ok(InterruptAnswer::Call(decision)) => {
                assert_eq!((decision.approval.as_str(), decision.digest.as_str()), ("apr_k1_1_0", "d1"));
                Some(decision.decision)
            }
            Ok(InterruptAnswer::Question(..)) | Err(_) => None,
        }
    };
    assert!(matches!(decided("resolved", json!({ "approved": true })), Some(DecisionShape::Approve)));
    let edited = decided("resolved", json!({ "approved": true, "editedArgs": { "name": "b" } }));
    let name = JsonValue::from([("name", JsonValue::from("b"))]);
    assert!(matches!(edited, Some(DecisionShape::Edit { arguments }) if arguments.0 == name));
    let amount = r#"{"interruptId":"apr_k1_1_0~d1","status":"resolved",
        "payload":{"approved":true,"editedArgs":{"amount":12345678901234567890.12}}}"#;
    let answer = parse_interrupt_answer(&serde_json::from_str(amount).unwrap()).unwrap();
    let InterruptAnswer::Call(decision) = answer else { panic!("it is a decision") };
    let DecisionShape::Edit { arguments } = decision.decision else { panic!("it is an edit") };
    assert_eq!(to_text(&arguments.0), r#"{"amount":12345678901234567890.12}"#);
    let no = decided("resolved", json!({ "approved": false, "reason": "no", "editedArgs": {} }));
    assert!(matches!(no, Some(DecisionShape::Reject { reason: Some(reason) }) if reason == "no"));
    // A cancellation rejects, whatever the payload contains.
    let gone = decided("cancelled", json!({ "approved": true }));
    assert!(matches!(gone, Some(DecisionShape::Reject { reason: None })));
    for unclear in [
        json!(null),
        json!({}),
        json!(true),
        json!("yes"),
        json!({ "approved": "true" }),
        json!({ "approved": 1 }),
    ] {
        assert!(decided("resolved", unclear.clone()).is_none(), "{unclear}");
    }
}

#[test]
fn unknown_interrupt_id_is_refused() {
    for id in ["", "apr_k1_1_0", "cal_k1_1_0~d", "~", "run:ses_k1"] {
        let entry = json!({ "interruptId": id, "status": "resolved", "payload": { "approved": true } });
        assert!(parse_interrupt_answer(&serde_json::from_value(entry).unwrap()).is_err(), "{id:?}");
    }
    let asked = |payload: Value| {
        let entry = json!({ "interruptId": "question:msg_k1_2_0", "status": "resolved", "payload": payload });
        match parse_interrupt_answer(&serde_json::from_value(entry).unwrap()) {
            Ok(InterruptAnswer::Question(_, answer)) => answer,
            Ok(InterruptAnswer::Call(_)) | Err(_) => None,
        }
    };
    assert_eq!(asked(json!({ "answer": "blue" })), Some("blue".to_owned()));
    assert_eq!(asked(json!(true)), Some("yes".to_owned()));
    assert_eq!(asked(json!({ "answer": 3 })), None);
}

/// The types of the events in a text, in order.
fn types(text: &str) -> Vec<String> {
    let events = text.split("\n\n").filter_map(|event| event.strip_prefix("data: "));
    let kind =
        |event: &str| serde_json::from_str::<Value>(event).unwrap()["type"].as_str().unwrap().to_owned();
    events.map(kind).collect()
}

fn writer() -> AguiEventWriter {
    let mut writer =
        AguiEventWriter::new("t1", "r1", samples::session(), AguiTranscript::default(), english());
    assert_eq!(types(&writer.take_output()), ["RUN_STARTED"]);
    writer
}

fn chunk(channel: ReplyChannel, text: &str) -> StreamFrame {
    StreamFrame::StreamChunk { attempt: 2, channel, offset: 0, text: text.into() }
}

fn start(attempt: u32) -> StreamFrame {
    let number = RoundAttempt { round: 1, attempt };
    let model_call = samples::session().model_call_id(number);
    StreamFrame::StreamStart { attempt: 2, number, model_call }
}

#[test]
fn superseded_text_is_retracted() {
    let mut writer = writer();
    let lost = StreamFrame::StreamSuperseded { attempt: 2, reason: SupersessionReason::Lost };
    for frame in [
        start(1),
        chunk(ReplyChannel::Reasoning, "Hm."),
        chunk(ReplyChannel::Text, "At ni"),
        lost.clone(),
        start(2),
    ] {
        writer.write_frame(&frame);
    }
    let expected = [
        "STEP_STARTED",
        "REASONING_START",
        "REASONING_MESSAGE_START",
        "REASONING_MESSAGE_CONTENT",
        "TEXT_MESSAGE_START",
        "TEXT_MESSAGE_CONTENT",
        "TEXT_MESSAGE_END",
        "REASONING_MESSAGE_END",
        "REASONING_END",
        "MESSAGES_SNAPSHOT",
    ];
    assert_eq!(types(&writer.take_output()), expected, "the second attempt is of the same step");
    // Without any sent text, nothing needs to be retracted.
    writer.write_frame(&lost);
    writer.finish(&writer.outcome());
    assert_eq!(types(&writer.take_output()), ["STEP_FINISHED", "RUN_FINISHED"]);
}

/// Input: an interrupt and a refusal with digits that no machine number holds; expected: the client gets them all.
#[test]
fn cards_in_events_keep_digits() {
    let card = || ExactJson(parse(r#"{"id":"i1","amount":12345678901234567890.120}"#).unwrap());
    let mut interrupted = writer();
    interrupted.interrupt(vec![card()]);
    let told = interrupted.take_output();
    let expected = concat!(
        r#"data: {"outcome":{"interrupts":[{"amount":12345678901234567890.120,"id":"i1"}],"type":"interrupt"},"#,
        r#""runId":"r1","threadId":"t1","type":"RUN_FINISHED"}"#,
    );
    assert!(told.ends_with(&format!("{expected}\n\n")), "{told}");
    let mut refused = writer();
    refused.fail("conflict", &"no".into(), Some(card()));
    let expected = concat!(
        r#"data: {"code":"conflict","message":"no","metadata":{"entracte":{"current":"#,
        r#"{"amount":12345678901234567890.120,"id":"i1"}}},"type":"RUN_ERROR"}"#,
    );
    assert_eq!(refused.take_output(), format!("{expected}\n\n"));
}

#[test]
fn message_known_to_client_is_not_resent() {
    let sent = |key: Option<&str>| {
        let mut entry =
            entracte_application::codec::decode_entry(&samples::user_message_row("Hello.").unwrap()).unwrap();
        entry.input = Input::UserMessageSent(UserMessageSent {
            author: "ann".to_owned(),
            message: UserMessage::text("Hello."),
            client_key: key.map(str::to_owned),
            enrichments: Vec::new(),
            title: None,
            asks: true,
            instead_of: Vec::new(),
        });
        entry
    };
    let own = sent(Some("m1"));
    let transcript = AguiTranscript::from_entries(std::slice::from_ref(&own));
    assert!(transcript.is_known(&["m1"]) && !transcript.is_known(&[]) && !transcript.is_known(&["m2"]));
    let mut writer = AguiEventWriter::new("t1", "r1", samples::session(), transcript, english());
    writer.take_output();
    writer.write_frame(&StreamFrame::Entry(Arc::new(own)));
    assert_eq!(types(&writer.take_output()), Vec::<String>::new());
    writer.write_frame(&StreamFrame::Entry(Arc::new(sent(None))));
    assert_eq!(
        types(&writer.take_output()),
        ["TEXT_MESSAGE_START", "TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_END"]
    );
    let complete = StreamFrame::StreamComplete {
        attempt: 2,
        bytes: 0,
        digest: Digest::new("d"),
        message: samples::session().message_id(2, 0),
    };
    writer.write_frame(&complete);
    assert_eq!(writer.take_output(), "");
}
