//! Sessions as the threads of AG-UI, for the protocol's own client: `tests/agui/story.mjs`, which `.ci/peers` installs.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::cli_fixture::{CliFixture, command_output};
use crate::files::node;
use crate::server::{send_request, serve, token};

/// One turn for each act of the client.
const PLAYS: &str = r#"
[[turn]]
envelope = '''{"pre_text": "I make a zone.", "actions": [{"type": "CREATE_ZONE", "params": {"name": "Health"}}], "validation_request": true, "keep_control": true}'''
[[turn]]
text = "So it is."
[[turn]]
envelope = '''{"pre_text": "Another.", "actions": [{"type": "CREATE_ZONE", "params": {"name": "Work"}}], "validation_request": true, "keep_control": true}'''
[[turn]]
text = "Changed, then."
[[turn]]
envelope = '''{"pre_text": "A third.", "actions": [{"type": "CREATE_ZONE", "params": {"name": "Third"}}], "validation_request": true, "keep_control": true}'''
[[turn]]
text = "Then not."
[[turn]]
envelope = '''{"pre_text": "A fourth.", "actions": [{"type": "CREATE_ZONE", "params": {"name": "Fourth"}}], "validation_request": true}'''
[[turn]]
envelope = '''{"pre_text": "One thing first.", "question": {"type": "MultipleChoice", "question": "Which colour?", "options": ["red", "blue"], "allow_other": false}}'''
[[turn]]
text = "Blue it is."
[[turn]]
text = "Once upon a time it ended."
word_delay_ms = 150
"#;

#[test]
fn agui_client_approves_and_goes_on() {
    let stage = CliFixture::with_script(PLAYS);
    let (_, ann) = token(&stage, &["--person", "ann", "--scope", "read,chat,approve"]);
    let served = serve(&stage);
    let home = "/v1/workspaces/local:main";
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/agui/story.mjs");
    let url = format!("http://{}{home}/agui", served.address);
    let told = command_output(Command::new(node()).arg(script).args([&url, &ann]).output().unwrap())
        .expect(0)
        .json();
    let session = told["session"].as_str().unwrap();
    // The client saw the stored data: two zones, one of them with the arguments that a person gave.
    let (_, zones) = send_request(&served, "GET", &format!("{home}/zones"), &ann, "", &Value::Null);
    let names: Vec<&Value> = zones["items"].as_array().unwrap().iter().map(|zone| &zone["name"]).collect();
    assert_eq!(names.len(), 2, "{zones}");
    assert!(names.contains(&&json!("Health")) && names.contains(&&json!("Garden")), "{zones}");
    drop(served);
    stage.run(&["session", "verify", session]).expect(0);
}

/// A chat-only token cannot decide.
#[test]
fn a_client_without_the_scope_decides_nothing() {
    let stage = CliFixture::with_script(PLAYS);
    let (_, ann) = token(&stage, &["--person", "ann", "--scope", "read,chat"]);
    let served = serve(&stage);
    let path = "/v1/workspaces/local:main/agui";
    let input = json!({
        "threadId": "t1", "runId": "r1", "messages": [{ "id": "m1", "role": "user", "content": "Make a zone" }],
    });
    let (status, _) = send_request(&served, "POST", path, &ann, "", &input);
    assert_eq!(status, 200);
    let (_, cards) =
        send_request(&served, "GET", "/v1/workspaces/local:main/approvals", &ann, "", &Value::Null);
    let card = &cards["items"][0];
    let id = format!("{}~{}", card["id"].as_str().unwrap(), card["digest"].as_str().unwrap());
    let resume = json!([{ "interruptId": id, "status": "resolved", "payload": { "approved": true } }]);
    let input = json!({ "threadId": "t1", "runId": "r2", "messages": [], "resume": resume });
    let (status, refused) = send_request(&served, "POST", path, &ann, "", &input);
    assert_eq!((status, &refused["code"]), (403, &json!("scope-missing")), "{refused}");
    let (_, cards) =
        send_request(&served, "GET", "/v1/workspaces/local:main/approvals", &ann, "", &Value::Null);
    assert_eq!(cards["items"].as_array().unwrap().len(), 1, "it waits still");
}
