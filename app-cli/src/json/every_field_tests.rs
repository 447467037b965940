//! Every field of the domain's types must be in the JSON; the fields are read from the types' debug output.

use std::collections::BTreeSet;

use entracte_domain::agent::{MissionExit, PrincipalQuestion};
use entracte_domain::id::{MessageId, SessionId, WorkspaceKey};
use entracte_domain::message::ProviderTurn;
use entracte_domain::question::Question;
use entracte_domain::session::{SessionCounters, SessionKind};
use entracte_domain::time::Timestamp;
use entracte_domain::value::JsonValue as DomainValue;
use serde_json::Value;

use super::*;

/// Fields with another name in the JSON, and the reason.
const RENAMED: [(&str, &str); 3] = [
    ("pre_text", "text"),
    // The due time of a run is its occurrence.
    ("scheduled_at", "occurrence"),
    // The number of equal failures is enough; the failure itself is in the results.
    ("signature", "equal_failures"),
];

fn facts() -> SessionFacts {
    let mut facts = SessionFacts::new(
        SessionId::new("ses_a"),
        WorkspaceKey::new("ann:home"),
        SessionKind::Automation,
        Timestamp(0),
    );
    facts.automation = Some("aut_a".into());
    facts
}

fn object(body: MessageBody) -> Value {
    let message = Message {
        id: MessageId::new("msg_a"),
        at: Timestamp(0),
        author: Author::Model,
        body,
        exclude_from_prompt: false,
    };
    let shown = serde_json::to_value(MessagesObject::new(&facts(), &[message], &[], &[])).unwrap();
    shown["messages"][0].clone()
}

/// The names of the fields of a value and of its direct members.
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
    let command = |name: &str| Command { name: name.into(), arguments: DomainValue::from([("a", 1.into())]) };
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
            arguments: DomainValue::from([("steps", 1.into())]),
            answer: Some(("shown".into(), false)),
        }],
        plan: vec!["read".into()],
        exit: Some(MissionExit {
            reason: "done".into(),
            result: DomainValue::from([("open", 3.into())]),
            conclusion: "Three are open.".into(),
        }),
        asks: Some(PrincipalQuestion { question: "Which month?".into(), user: true }),
    }
}

/// Input: messages in which every field has a value; expected: each field is in the JSON. The fields come from the
/// domain's types, so a new field fails this test.
#[test]
fn every_field_is_in_the_json() {
    assert!(fields(&said()).contains("keep_control"), "{:?}", fields(&said()));
    let shown = object(MessageBody::Ai(said()));
    check(&said(), &shown);
    assert_eq!(shown["queries"], serde_json::json!([{"command": "zones.list", "arguments": {"a": 1}}]));
    assert_eq!(shown["plan"], serde_json::json!(["read"]));

    let started = ExecutionMetadata {
        trigger: "scheduled".into(),
        scheduled_at: Some(Timestamp(0)),
        automation_version: 3,
    };
    let shown = object(MessageBody::Execution(started.clone()));
    check(&started, &shown);
    assert_eq!(shown["automation"], "aut_a");

    let counters = SessionCounters::default();
    let shown = serde_json::to_value(crate::json::session::SessionCountersObject::from(&counters)).unwrap();
    check(&counters, &shown);
}
