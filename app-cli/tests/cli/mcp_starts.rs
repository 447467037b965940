//! MCP servers that start late, or begin anew between two commands.

use std::time::Duration;

use serde_json::Value;

use crate::cli_fixture::CliFixture;
use crate::files::node;
use crate::server::{send_request, serve, token};

/// The pause between two looks at a running server.
const LOOK: Duration = Duration::from_millis(250);

/// The most looks: a minute.
const LOOKS: usize = 240;

/// The scripted server as `late`, which starts only if the file `go` is there, and a model that plays these turns.
fn stage(turns: &str) -> CliFixture {
    let stage = CliFixture::with_config("");
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../adapters-commands/tests/mcp/peer.mjs");
    let folder = stage.folder.path().display().to_string();
    let command = format!("test -e {folder}/go || exit 1; exec {:?} {script:?}", node());
    stage.write(
        "entracte.toml",
        &format!(
            "[providers.stage]\nkind = \"rehearsal\"\nscript = \"story.toml\"\n\
             [mcp.late]\ncommand = \"/bin/sh\"\nargs = [\"-c\", {command:?}]\nhandshake = \"initialize\"\n\
             env = {{ PEER_PROTOCOL = \"2025-11-25\", PEER_TOOLS = \"{folder}/tools.json\", \
             PEER_LOG = \"{folder}/log\" }}\n"
        ),
    );
    stage.write(
        "tools.json",
        r#"[{"name": "echo", "description": "Says it again.", "inputSchema": {"type": "object"},
            "annotations": {"readOnlyHint": true, "openWorldHint": false}}]"#,
    );
    stage.write("story.toml", turns);
    stage
}

/// Input: a server of a running program that starts only later; expected: its command is there without a restart.
#[test]
fn server_that_starts_late_gets_its_commands() {
    let stage = stage("");
    let served = serve(&stage);
    let (_, token) = token(&stage, &["--scope", "read"]);
    let is_listed = || {
        let path = "/v1/workspaces/local:main/commands?limit=200";
        let (status, found) = send_request(&served, "GET", path, &token, "", &Value::Null);
        assert_eq!(status, 200, "{found}");
        found["items"].as_array().unwrap().iter().any(|command| command["name"] == "late.echo")
    };
    assert!(!is_listed());
    stage.write("go", "");
    let is_there = (0..LOOKS).any(|_| {
        // The server counts the requests of a token.
        std::thread::sleep(LOOK);
        is_listed()
    });
    assert!(is_there, "the server is never listed");
}

/// Inputs: a tool with a regular expression that cannot be run in linear time, and one that refers outside of its
/// schema; expected: the list says of each, once, which argument and why, and a warning is not logged beside.
#[test]
fn command_list_says_what_is_unchecked_and_refused() {
    let stage = stage("");
    stage.write("go", "");
    stage.write(
        "tools.json",
        r##"[{"name": "note", "description": "Notes.", "inputSchema": {"type": "object", "properties": {
              "title": {"type": "string", "pattern": "^(?!\\s*$).+"}}}},
            {"name": "far", "description": "Looks far.", "inputSchema": {"type": "object", "properties": {
              "filter": {"properties": {"day": {"$ref": "https://example.org/day.json"}}}}}}]"##,
    );
    stage.run(&["command", "accept"]).expect(0);
    let listed = stage.run(&["command", "list"]).expect(0);
    let said = |part: &str| listed.err.matches(part).count();
    assert_eq!(
        said("late.note: argument title: a regular expression is not checked here"),
        1,
        "{}",
        listed.err
    );
    assert_eq!(
        said("late.far: argument filter.day: its schema refers to https://example.org"),
        1,
        "{}",
        listed.err
    );
    assert_eq!(said("not checked here"), 1, "{}", listed.err);
    let listed = stage.run(&["--json", "command", "list"]).expect(0).json();
    assert_eq!(listed["unchecked"][0]["name"], "late.note");
    assert_eq!(listed["unchecked"][0]["argument"], "title");
    assert_eq!(listed["out_of_use"].as_array().unwrap().len(), 1, "{listed}");
    assert_eq!(listed["out_of_use"][0]["argument"], "filter.day");
}

/// Input: two commands that call a server in one session, each of which starts the server; expected: the model reads the
/// second time that the server began anew, and not the first time.
#[test]
fn second_command_is_told_that_server_began_anew() {
    let stage = stage(
        r#"
[[turn]]
envelope = '''{"pre_text": "I look.", "queries": [{"type": "LATE_ECHO", "params": {}}]}'''
[[turn]]
text = "Seen."
[[turn]]
envelope = '''{"pre_text": "I look again.", "queries": [{"type": "LATE_ECHO", "params": {"again": 1}}]}'''
[[turn]]
expect = "the server late was started anew before this call"
text = "Seen again."
"#,
    );
    stage.write("go", "");
    let first = stage.run(&["chat", "--message", "Look."]).expect(0);
    assert!(first.out.contains("Seen."), "{}", first.out);
    let second = stage.run(&["chat", "--continue", "--message", "Look again."]).expect(0);
    assert!(second.out.contains("Seen again."), "{}", second.out);
    let sessions = stage.run(&["--json", "session", "list"]).expect(0).json();
    let session = sessions["sessions"][0]["id"].as_str().unwrap().to_owned();
    let messages = stage.run(&["session", "messages", &session]).expect(0).out;
    assert_eq!(messages.matches("was started anew").count(), 1, "{messages}");
}
