//! Every field of the domain's types must be in the JSON; the fields are read from the types' debug output.

use std::collections::BTreeSet;

use entracte_application::journal::JournalEntry;
use entracte_domain::call::CallStatus;
use entracte_domain::command::CommandKind;
use entracte_domain::id::{Digest, MessageId, SessionId};
use entracte_domain::message::{Message, ProviderTurn};
use entracte_domain::question::Question;
use entracte_domain::session::{
    AiResponse, CallLookup, FormatFault, Input, LogAppend, ReplyEnd, RequestedCall,
};
use entracte_domain::time::Timestamp;
use entracte_domain::value::JsonValue;
use serde_json::{Value, json};

use super::*;

/// Fields with another name in the JSON, and the reason.
const RENAMED: [(&str, &str); 2] = [
    ("pre_text", "text"),
    // The due time of a run is its occurrence.
    ("scheduled_at", "occurrence"),
];

/// The names of the fields of a value.
fn fields(value: &impl std::fmt::Debug) -> BTreeSet<String> {
    let drawn = format!("{value:#?}");
    let own = drawn.lines().filter(|line| line.starts_with("    ") && !line.starts_with("     "));
    own.filter_map(|line| line.trim().split_once(':')).map(|(name, _)| name.to_owned()).collect()
}

fn check(value: &impl std::fmt::Debug, shown: &Value) {
    for field in fields(value) {
        let renamed = RENAMED.iter().find(|(name, _)| *name == field);
        let key = renamed.map_or(field.as_str(), |(_, key)| key);
        assert!(!shown[key].is_null(), "the JSON has no {key}: {shown:#}");
    }
}

fn said() -> AiMessage {
    let command = |name: &str| Command { name: name.into(), arguments: JsonValue::from([("a", 1.into())]) };
    AiMessage {
        pre_text: "I plan.".into(),
        queries: vec![command("zones.list")],
        actions: vec![command("zones.create")],
        validation_request: true,
        post_text: Some("Done.".into()),
        keep_control: true,
        question: Some(Question::Validation { message: "Shall I?".into() }),
        completed: true,
        original: "{}".into(),
        provider_turn: Some(ProviderTurn { dialect: "chat".into(), bytes: "[]".into() }),
        own_calls: vec![BuiltinToolCall {
            provider_call_id: "call_1".into(),
            name: "plan".into(),
            arguments: JsonValue::from([("steps", 1.into())]),
            answer: Some(("shown".into(), false)),
        }],
        plan: vec!["read".into()],
        exit: Some(MissionExit {
            reason: "done".into(),
            result: JsonValue::from([("open", 3.into())]),
            conclusion: "Three are open.".into(),
        }),
        asks: Some(PrincipalQuestion { question: "Which month?".into(), user: true }),
    }
}

/// The message of an entry with this reply.
fn replied(message: AiMessage, calls: Vec<RequestedCall>, faults: Vec<FormatFault>) -> Value {
    let response = AiResponse {
        round: 1,
        attempt: 1,
        message,
        end: ReplyEnd::Done,
        asks_at_limit: true,
        faults,
        calls,
        usage: None,
        request: None,
        handle: None,
    };
    shown(Input::AiResponseReceived(Box::new(response)), Vec::new())
}

/// The first message of an entry.
fn shown(input: Input, appended: Vec<LogAppend>) -> Value {
    let entry = JournalEntry {
        seq: 7,
        session: SessionId::new("ses_a"),
        sequence: 3,
        at: Timestamp(0),
        rules: Digest::new("00"),
        input,
        appended,
    };
    serde_json::to_value(MessageShape::from(&entry.conversation()[0])).unwrap()
}

/// Input: a reply in which every field has a value; expected: each field is in the JSON. The fields come from the domain's
/// types, so a new field fails this test.
#[test]
fn every_field_of_a_reply_is_shown() {
    assert!(fields(&said()).contains("keep_control"), "{:?}", fields(&said()));
    let fault = FormatFault { code: "no_json".into(), place: None, text: "no JSON".into() };
    let message = replied(said(), Vec::new(), vec![fault]);
    check(&said(), &message);
    assert_eq!(message["queries"], json!([{"command": "zones.list", "arguments": {"a": 1}}]));
    assert_eq!((&message["plan"], &message["original"]), (&json!(["read"]), &json!("{}")));
    assert_eq!((&message["sequence"], &message["unread"]), (&json!(3), &Value::Null));
    assert_eq!(replied(said(), Vec::new(), Vec::new())["original"], Value::Null, "the fields say it");
}

/// Input: a reply with native calls, which stand in the entry; expected: they are shown like those of an envelope.
#[test]
fn native_calls_are_shown_as_requested() {
    let call = |name: &str, kind| RequestedCall {
        provider_call_id: Some("call_1".into()),
        command: Command { name: name.into(), arguments: JsonValue::from([("a", 1.into())]) },
        command_id: Digest::new("00"),
        kind,
        lookup: CallLookup::Refused {
            status: CallStatus::UnknownCommand,
            message: String::new(),
            path: None,
            shows: None,
        },
    };
    let calls = vec![call("zones.list", CommandKind::Query), call("zones.create", CommandKind::Action)];
    let message =
        replied(AiMessage { pre_text: "I look.".into(), ..AiMessage::default() }, calls, Vec::new());
    assert_eq!(message["queries"], json!([{"command": "zones.list", "arguments": {"a": 1}}]));
    assert_eq!(message["actions"], json!([{"command": "zones.create", "arguments": {"a": 1}}]));
}

/// Input: the message that begins a run; expected: each of its fields is in the JSON.
#[test]
fn every_field_of_a_run_is_shown() {
    let metadata = ExecutionMetadata {
        trigger: "scheduled".into(),
        scheduled_at: Some(Timestamp(0)),
        automation_version: 3,
    };
    let message = Message {
        id: MessageId::new("msg_a"),
        at: Timestamp(0),
        author: Author::System,
        body: MessageBody::Execution(metadata.clone()),
        exclude_from_prompt: false,
    };
    let input = Input::CompletionConfirmed { author: "ann".into() };
    let message = shown(input, vec![LogAppend::Message(Box::new(message))]);
    check(&metadata, &message);
    assert_eq!(message["automation_version"], 3);
}
