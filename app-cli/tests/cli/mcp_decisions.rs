//! A person decides which tools of an MCP server ask, and what waits for that decision.

use serde_json::{Value, json};

use crate::cli_fixture::CliFixture;
use crate::files::node;
use crate::terminal::PseudoTerminal;

/// The scripted server as `web` with a query that reaches outside and an action, and a model that asks for both.
pub(crate) fn stage() -> CliFixture {
    let stage = CliFixture::with_config("");
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../adapters-commands/tests/mcp/peer.mjs");
    let folder = stage.folder.path().display().to_string();
    stage.write(
        "entracte.toml",
        &format!(
            "[providers.stage]\nkind = \"rehearsal\"\nscript = \"story.toml\"\n\
             [mcp.web]\ncommand = {:?}\nargs = [{script:?}]\nhandshake = \"initialize\"\n\
             env = {{ PEER_PROTOCOL = \"2025-11-25\", PEER_TOOLS = \"{folder}/tools.json\", \
             PEER_LOG = \"{folder}/log\" }}\n",
            node()
        ),
    );
    let tools = json!([
        {"name": "echo", "description": "Fetches.", "inputSchema": {"type": "object"},
         "annotations": {"readOnlyHint": true}},
        {"name": "send", "description": "Sends.", "inputSchema": {"type": "object"}},
    ]);
    stage.write("tools.json", &tools.to_string());
    stage.write(
        "story.toml",
        r#"
[[turn]]
envelope = '''{"pre_text": "I look.", "queries": [{"type": "WEB_ECHO", "params": {"n": 1}}], "keep_control": true}'''
[[turn]]
text = "Seen."
"#,
    );
    stage
}

fn items(stage: &CliFixture, kind: &str) -> Vec<Value> {
    let inbox = stage.run(&["--json", "inbox"]).expect(0).json();
    let items = inbox["items"].as_array().unwrap().iter();
    items.filter(|item| item["kind"] == kind).cloned().collect()
}

/// Input: three chats whose query of an undecided server waits, and one whose action does; expected: one item of the
/// server with the three queries below it; trusting it with `--approve-waiting` runs the three, and the action waits on.
#[test]
fn queries_of_undecided_server_wait_on_one_item() {
    let stage = stage();
    for _ in 0..3 {
        stage.run(&["chat", "--message", "Look."]).expect(3);
    }
    let action =
        r#"{"pre_text": "I send.", "actions": [{"type": "WEB_SEND", "params": {}}], "keep_control": true}"#;
    stage.write("story.toml", &format!("[[turn]]\nenvelope = '''{action}'''\n[[turn]]\ntext = \"Sent.\"\n"));
    stage.run(&["chat", "--message", "Send."]).expect(3);

    let servers = items(&stage, "tools");
    assert_eq!(servers.len(), 1, "{servers:?}");
    assert_eq!((&servers[0]["server"], &servers[0]["undecided"]), (&json!("web"), &json!(["echo"])));
    assert_eq!(servers[0]["waiting"].as_array().unwrap().len(), 3);
    let shown = stage.run(&["inbox"]).expect(0).out;
    assert!(shown.contains("the MCP server web: nobody has decided about its tools"), "{shown}");
    assert_eq!(
        shown.matches("entracte approve").count(),
        1,
        "only the action has a card of its own: {shown}"
    );

    let left = stage.run(&["mcp", "trust", "web", "--approve-waiting"]).expect(0);
    assert!(left.err.contains("still waits"), "nobody said yes: {}", left.err);
    let waiting = items(&stage, "approval");
    assert_eq!((waiting.len(), items(&stage, "tools").len()), (4, 0), "what waited still waits: {waiting:?}");

    stage.run(&["mcp", "trust", "web", "--approve-waiting", "--yes"]).expect(0);
    let waiting = items(&stage, "approval");
    assert_eq!(waiting.len(), 1, "{waiting:?}");
    assert_eq!(waiting[0]["command"], "web.send", "an action is never approved with it");
    stage.run(&["session", "verify", "--all"]).expect(0);
    let asked = stage.run(&["--json", "mcp", "tools", "web"]).expect(0).json();
    let asks: Vec<&Value> = asked["tools"].as_array().unwrap().iter().map(|tool| &tool["asks"]).collect();
    assert_eq!(asks, [&json!(false), &json!(true)]);
}

/// Input: `mcp keep` for a server of which one query asks; expected: it asks on, and no item waits for a decision.
#[test]
fn kept_tools_are_decided_as_they_are() {
    let stage = stage();
    stage.run(&["mcp", "tools", "web"]).expect(0);
    assert_eq!(items(&stage, "tools").len(), 1);
    let kept = stage.run(&["--json", "mcp", "keep", "web"]).expect(0).json();
    assert_eq!((&kept["choice"], &kept["decided"]), (&json!("keep"), &json!(["echo", "send"])));
    assert_eq!(items(&stage, "tools"), [] as [Value; 0]);
    let tools = stage.run(&["--json", "mcp", "tools", "web"]).expect(0).json();
    let echo = &tools["tools"][0];
    assert_eq!((&echo["asks"], &echo["decided_by"]), (&json!(true), &json!("person")));
    stage.run(&["mcp", "keep", "web", "none"]).expect(5);
}

/// Input: a server that declares an accepted tool anew, and no longer offers another; expected: neither is said to ask or
/// to run unasked, but why it cannot be used.
#[test]
fn unusable_tools_are_not_said_to_run() {
    let stage = stage();
    let before = stage.run(&["mcp", "tools", "web"]).expect(0);
    assert!(before.err.contains("2 tools: 2 ask, 0 run unasked. "), "{}", before.err);
    let anew = json!({"name": "echo", "description": "Fetches all.", "inputSchema": {"type": "object"}});
    stage.write("tools.json", &json!([anew]).to_string());
    stage.run(&["--json", "command", "accept"]).expect(0);

    let listed = stage.run(&["mcp", "tools", "web"]).expect(0);
    let line = |tool: &str| listed.out.lines().find(|line| line.contains(tool)).unwrap().to_owned();
    assert!(line("web.echo").contains("changed: not accepted yet"), "{}", listed.out);
    assert!(line("web.send").contains("no longer offered"), "{}", listed.out);
    assert!(!listed.out.contains("unasked"), "{}", listed.out);
    assert!(listed.err.contains("2 tools: 0 ask, 0 run unasked, 2 cannot be used. "), "{}", listed.err);
    let object = stage.run(&["--json", "mcp", "tools", "web"]).expect(0).json();
    let states: Vec<&Value> = object["tools"].as_array().unwrap().iter().map(|tool| &tool["state"]).collect();
    assert_eq!(states, [&json!("changed"), &json!("gone")]);
}

/// Input: a server that offers two new tools since it was accepted, and a person at a terminal who types a number that is
/// not in the list, then that of the second tool, then nothing; expected: that tool is accepted, and the other one waits.
#[test]
fn new_tool_is_accepted_from_a_list() {
    let stage = stage();
    stage.run(&["mcp", "tools", "web"]).expect(0);
    let tool = |name: &str| json!({"name": name, "description": "Acts.", "inputSchema": {"type": "object"}});
    stage.write("tools.json", &json!([tool("archive"), tool("burn")]).to_string());
    let mut screen = PseudoTerminal::open(&stage, 80, &["command", "accept"]);
    screen.until_prompt("number of a tool to accept");
    screen.until("1  web.archive");
    screen.until("2  web.burn");
    screen.type_line("7");
    screen.until("“7” is not a number of the list");
    screen.until_prompt("number of a tool to accept");
    screen.type_line("2");
    screen.until("accepted web.burn");
    screen.until_prompt("number of a tool to accept");
    screen.type_line("");
    assert_eq!(screen.ends(), 0);
    let waiting = stage.run(&["--json", "command", "accept"]).expect(0).json();
    let names: Vec<&Value> = waiting["tools"].as_array().unwrap().iter().map(|tool| &tool["tool"]).collect();
    assert_eq!(names, [&json!("archive")]);
}
