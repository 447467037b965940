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
word_delay_ms = 900
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

/// The clients of AG-UI that talk to the server: the newest of both major versions.
const CLIENTS: [&str; 2] = ["@ag-ui/client", "@ag-ui/client-0"];

/// Runs a script of `tests/agui` against the AG-UI address of a server; returns the id of its session.
fn play(script: &str, client: &str, url: &str, tokens: &[&str]) -> String {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/agui").join(script);
    let mut command = Command::new(node());
    command.arg(script).args([client, url]).args(tokens);
    let told = command_output(command.output().unwrap()).expect(0).json();
    told["session"].as_str().unwrap().to_owned()
}

/// Input: another person approves, rejects and answers while a chat window is open, which then sends its own answer;
/// expected: the first one counts, the run says so, and goes on to what waits next.
#[test]
fn agui_resumes_after_external_decision() {
    let plays = r#"
[[turn]]
envelope = '''{"pre_text": "I make a zone.", "actions": [{"type": "CREATE_ZONE", "params": {"name": "Health"}}], "validation_request": true, "keep_control": true}'''
[[turn]]
text = "So it is."
[[turn]]
envelope = '''{"pre_text": "Another.", "actions": [{"type": "CREATE_ZONE", "params": {"name": "Work"}}], "validation_request": true, "keep_control": true}'''
[[turn]]
text = "Then not."
[[turn]]
envelope = '''{"pre_text": "", "question": {"type": "MultipleChoice", "question": "Which colour?", "options": ["red", "blue"]}}'''
[[turn]]
envelope = '''{"pre_text": "", "question": {"type": "MultipleChoice", "question": "How dark?", "options": ["a little", "very"]}}'''
[[turn]]
text = "Dark blue it is."
"#;
    for client in CLIENTS {
        let stage = CliFixture::with_script(plays);
        let scopes = "read,chat,approve";
        let (_, ann) = token(&stage, &["--person", "ann", "--scope", scopes]);
        let (_, bob) = token(&stage, &["--person", "bob", "--scope", scopes]);
        let served = serve(&stage);
        let url = format!("http://{}/v1/workspaces/local:main/agui", served.address);
        let session = play("deciders.mjs", client, &url, &[&ann, &bob]);
        let zones = "/v1/workspaces/local:main/zones";
        let (_, zones) = send_request(&served, "GET", zones, &ann, "", &Value::Null);
        let names: Vec<&Value> =
            zones["items"].as_array().unwrap().iter().map(|zone| &zone["name"]).collect();
        assert_eq!(names, [&json!("Health")], "{client}: {zones}");
        drop(served);
        stage.run(&["session", "verify", &session]).expect(0);
    }
}

/// Input: the agent of a chat needs an approval; expected: the run of the chat ends with it, with the chain of agents, and
/// the yes lets the agent and then the chat go on.
#[test]
fn agui_interrupts_for_agents_below() {
    let main = r#"
[[turn]]
envelope = { pre_text = "I have it made.", actions = [{ type = "agents.Maker", params = { query = "Make the zone Health." } }], keep_control = true }
[[turn]]
expect = "MISSION_COMPLETED"
text = "It is made."
[[turn]]
envelope = { pre_text = "I have it asked.", actions = [{ type = "agents.Asker", params = { query = "Ask for its colour." } }], keep_control = true }
[[turn]]
expect = "MISSION_COMPLETED"
text = "It is blue."
"#;
    let small = r#"
[[turn]]
envelope = { pre_text = "", actions = [{ type = "CREATE_ZONE", params = { name = "Health" } }], validation_request = true }
[[turn]]
envelope = { pre_text = "", EXIT_WITH_RESULT = { reason = "made", result = {}, conclusion = "It is there." } }
"#;
    let asks = r#"
[[turn]]
envelope = { pre_text = "", ASK_PRINCIPAL_AGENT = { question = "Which colour?", for = "user" } }
[[turn]]
expect = "blue"
envelope = { pre_text = "", EXIT_WITH_RESULT = { reason = "told", result = {}, conclusion = "It is blue." } }
"#;
    let config = "default_provider = \"main\"\n\
        [providers.main]\nkind = \"rehearsal\"\nscript = \"main.toml\"\n\
        [providers.small]\nkind = \"rehearsal\"\nscript = \"small.toml\"\n\
        [agents.Maker]\ndescription = \"Makes zones.\"\nprovider = \"small\"\ncommands = [\"zones.*\"]\n\
        [agents.Maker.instructions]\nrole = \"You make zones.\"\n\
        [providers.asks]\nkind = \"rehearsal\"\nscript = \"asks.toml\"\n\
        [agents.Asker]\ndescription = \"Asks.\"\nprovider = \"asks\"\ncommands = []\n\
        [agents.Asker.instructions]\nrole = \"You ask.\"\n";
    for client in CLIENTS {
        let stage = CliFixture::with_config("");
        stage.write("main.toml", main);
        stage.write("small.toml", small);
        stage.write("asks.toml", asks);
        stage.write("entracte.toml", config);
        let (_, ann) = token(&stage, &["--person", "ann", "--scope", "read,chat,approve"]);
        let served = serve(&stage);
        let url = format!("http://{}/v1/workspaces/local:main/agui", served.address);
        let session = play("below.mjs", client, &url, &[&ann]);
        drop(served);
        stage.run(&["session", "verify", &session]).expect(0);
    }
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
