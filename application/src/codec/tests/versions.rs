use entracte_domain::id::{SessionId, WorkspaceKey};
use entracte_domain::session::{EndReason, ParkReason, Phase, SessionFacts, SessionKind};
use entracte_domain::time::Timestamp;

use serde_json::json;

use crate::codec::*;
use crate::journal::Snapshot;
use crate::mail::{DecideCallsRequest, Mail, MailDecision, MailRequest, MailVerdict};
use crate::ports::LogRow;
use crate::texts::ReaderLanguage;

/// Decodes the bytes and compares the error's text.
fn check(bytes: &str, expected: &str) {
    let found = decode_snapshot(bytes.as_bytes()).map(|_| ()).map_err(|error| error.to_string());
    assert_eq!(found, Err(expected.to_owned()), "{bytes}");
}

#[test]
fn unknown_version_differs_from_damaged_bytes() {
    check(
        r#"{"v":7,"facts":{}}"#,
        "the stored session has version 7, but this Entracte reads version 3 and older; use a newer Entracte",
    );
    check(
        r#"{"v":0}"#,
        "the stored session has version 0, but this Entracte reads version 3 and older; use a newer Entracte",
    );
    check("{}", "the stored session cannot be read: missing field `v` at line 1 column 2");
    check("", "the stored session cannot be read: EOF while parsing a value at line 1 column 0");
    check(r#"{"v":1}"#, "the stored session cannot be read: missing field `facts` at line 1 column 7");
    check(
        r#"{"v":1,"more":2}"#,
        "the stored session cannot be read: unknown field `more`, \
         expected one of `v`, `facts`, `phase` at line 1 column 13",
    );
}

/// The first two bytes of the compact encoding state its version and the parts of its header.
#[test]
fn unknown_compact_version_differs_from_damaged_bytes() {
    let found = |bytes: &[u8]| decode_snapshot(bytes).map(|_| ()).map_err(|error| error.to_string());
    let says = |text: &str| Err(format!("the stored session {text}"));
    assert_eq!(
        found(&[4, 0, 0xa0]),
        says("has version 4, but this Entracte reads version 3 and older; use a newer Entracte")
    );
    assert_eq!(found(&[3, 2, 0xa0]), says("cannot be read: it has parts (0x02) that a newer Entracte knows"));
    assert_eq!(found(&[3, 0]), says("cannot be read: it is cut short"));
    assert_eq!(found(&[3, 0, 0xa0]), says("cannot be read: missing field `facts`"));
    assert_eq!(
        found(&[3, 0, 0x8a, 0xff, 0xff, 3]),
        says("cannot be read: it has the word 65615, which a newer Entracte knows")
    );
}

#[test]
fn value_violating_its_invariant_is_unstorable() {
    use entracte_domain::id::CallId;
    use entracte_domain::value::JsonValue;
    let edit = |arguments| Mail {
        receipt: None,
        may_approve: false,
        reader: ReaderLanguage::OF_WORKSPACE,
        request: MailRequest::session(
            SessionId::new("ses_a"),
            DecideCallsRequest {
                author: "a".into(),
                decisions: vec![MailDecision {
                    call: CallId::new("c"),
                    card: None,
                    verdict: MailVerdict::Edit { arguments },
                }],
                link: None,
            },
        ),
    };
    let no_number = encode_mail(&edit(JsonValue::Number("one".into()))).unwrap_err().to_string();
    assert!(no_number.starts_with("the mail cannot be stored: "), "{no_number}");
    let deep = (0..200).fold(JsonValue::Null, |inner, _| JsonValue::List(vec![inner]));
    assert!(encode_mail(&edit(deep)).is_err());
}

/// Earlier versions had a kind of messages that told the model a schema; no message of it was ever written.
#[test]
fn system_message_of_former_kind_is_data() {
    let log_row = |body: &str| LogRow {
        seq: 1,
        session: SessionId::new("ses_a"),
        sequence: 1,
        at: Timestamp(0),
        label: "NETWORK_AVAILABLE".into(),
        client_key: None,
        body: body.as_bytes().to_vec(),
    };
    let entry = |kind: &str| {
        let body = json!({ "system": { "kind": kind, "summary": "The schema.", "data": { "text": "{}" } } });
        let message = json!({ "message": { "id": "msg_a_1_0", "at": 0, "author": "system", "body": body } });
        json!({ "v": 1, "rules": "U-xtqTiBq4G72-_KELI-vntndaHC04Ad6VylH4Xf38o", "input": "network_available", "appended": [message] }).to_string()
    };
    let read = |kind: &str| decode_entry(&log_row(&entry(kind)));
    assert_eq!(read("SCHEMA_REQUIRED").unwrap(), read("DATA_ADDED").unwrap());
    let error = read("SCHEMA_WANTED").unwrap_err().to_string();
    assert!(error.contains("“SCHEMA_WANTED” is not a valid SystemKind"), "{error}");
}

/// In earlier versions the parked state was stored beside the phase, and remained when the run was stopped.
#[test]
fn stopped_run_of_old_version_is_not_parked() {
    let (id, workspace) = (SessionId::new("ses_a"), WorkspaceKey::new("ann:home"));
    let facts = SessionFacts::new(id, workspace, SessionKind::Automation, Timestamp(0));
    let written = |phase| {
        let snapshot = Snapshot { facts: facts.clone(), phase };
        serde_json::from_slice::<serde_json::Value>(&encode_snapshot_as_json(&snapshot).unwrap()).unwrap()
    };
    let parked = written(Phase::Parked(ParkReason::Interrupted));
    assert_eq!((&parked["phase"], &parked["facts"]["parked"]), (&"idle".into(), &"interrupted".into()));
    let completed = Phase::Completed { reason: EndReason::Cancelled };
    let mut ended = written(completed.clone());
    assert_eq!(ended["facts"]["end"], "CANCELLED");
    ended["facts"]["parked"] = "interrupted".into();
    let read = decode_snapshot(ended.to_string().as_bytes()).unwrap();
    assert_eq!(read, Snapshot { facts, phase: completed });
}
