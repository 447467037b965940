//! `entracte mcp`: an external AI requests commands over standard input and output.

use std::io::{BufRead, BufReader, Lines, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use serde_json::{Value, json};

use crate::cli_fixture::CliFixture;

const NEW: &str = "2026-07-28";
const GENERATIONS: [&str; 3] = ["2025-03-26", "2025-11-25", NEW];

/// A client of one version of the protocol.
struct McpStdioClient {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Lines<BufReader<ChildStdout>>,
    protocol: &'static str,
    last: u64,
}

impl McpStdioClient {
    fn begin(stage: &CliFixture, protocol: &'static str, arguments: &[&str]) -> Self {
        let mut command = stage.command(&[&["mcp"], arguments].concat());
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let stdin = child.stdin.take();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut client = Self { child, stdin, lines, protocol, last: 0 };
        if protocol == NEW {
            let found = client.asks("server/discover", json!({}));
            assert!(found["supportedVersions"].as_array().unwrap().contains(&json!(NEW)), "{found}");
        } else {
            let hello = json!({
                "protocolVersion": protocol, "capabilities": {}, "clientInfo": { "name": "test", "version": "1" },
            });
            let agreed = client.asks("initialize", hello);
            assert_eq!(agreed["protocolVersion"], protocol);
            assert_eq!(agreed["serverInfo"]["name"], "entracte");
            client.says(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        }
        client
    }

    fn says(&mut self, message: &Value) {
        writeln!(self.stdin.as_mut().unwrap(), "{message}").unwrap();
    }

    /// Sends a request; returns its number.
    fn sends(&mut self, method: &str, mut params: Value) -> u64 {
        self.last += 1;
        if self.protocol == NEW {
            params["_meta"] = json!({
                "io.modelcontextprotocol/protocolVersion": NEW,
                "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
                "io.modelcontextprotocol/clientCapabilities": {},
            });
        }
        self.says(&json!({ "jsonrpc": "2.0", "id": self.last, "method": method, "params": params }));
        self.last
    }

    /// The next answer, with its number. Every line is a message of the protocol.
    fn hears(&mut self) -> (u64, Value) {
        let line = self.lines.next().unwrap().unwrap();
        let message: Value = serde_json::from_str(&line).unwrap_or_else(|fault| panic!("{fault}: {line}"));
        assert_eq!(message["jsonrpc"], "2.0", "{line}");
        assert!(message.get("error").is_none(), "{line}");
        (message["id"].as_u64().unwrap(), message["result"].clone())
    }

    /// The next message, whatever it is.
    fn message(&mut self) -> Value {
        serde_json::from_str(&self.lines.next().unwrap().unwrap()).unwrap()
    }

    fn asks(&mut self, method: &str, params: Value) -> Value {
        let asked = self.sends(method, params);
        let (answered, result) = self.hears();
        assert_eq!(answered, asked);
        result
    }

    fn calls(&mut self, tool: &str, arguments: Value) -> Value {
        self.asks("tools/call", json!({ "name": tool, "arguments": arguments }))
    }

    fn leaves(mut self) -> i32 {
        self.stdin = None;
        self.child.wait().unwrap().code().unwrap_or(-1)
    }
}

impl Drop for McpStdioClient {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The answer, which is the same in both parts of the result.
fn answer(result: &Value) -> &Value {
    let text = result["content"][0]["text"].as_str().unwrap();
    assert_eq!(serde_json::from_str::<Value>(text).unwrap(), result["structuredContent"], "{result}");
    &result["structuredContent"]
}

/// The data of a successful result, or what it waits for.
fn text(result: &Value) -> String {
    assert_eq!(result["isError"], false, "{result}");
    match &answer(result)["result"] {
        Value::Null => answer(result)["message"].as_str().unwrap().to_owned(),
        Value::String(text) => text.clone(),
        data => data.to_string(),
    }
}

/// The code and the text of an error.
fn error(result: &Value) -> String {
    assert_eq!(result["isError"], true, "{result}");
    let part = |name: &str| answer(result)[name].as_str().unwrap();
    format!("{}: {}", part("code"), part("message"))
}

fn zones(stage: &CliFixture) -> Vec<String> {
    let found = stage.run(&["--json", "command", "run", "ZONES"]).expect(0).json();
    let names =
        found["result"]["zones"].as_array().unwrap().iter().map(|zone| zone["name"].as_str().unwrap().into());
    names.collect()
}

fn inbox(stage: &CliFixture) -> Vec<String> {
    let inbox = stage.run(&["--json", "inbox"]).expect(0).json();
    inbox["items"].as_array().unwrap().iter().map(|item| item["id"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn the_catalog_is_offered_in_every_generation() {
    for protocol in GENERATIONS {
        let stage = CliFixture::with_script("");
        let mut client = McpStdioClient::begin(&stage, protocol, &[]);
        let listed = client.asks("tools/list", json!({}));
        let tools = listed["tools"].as_array().unwrap();
        let of = |name: &str| tools.iter().find(|tool| tool["name"] == name).unwrap();
        let hints = |name: &str| {
            let hints = &of(name)["annotations"];
            (hints["readOnlyHint"].clone(), hints["destructiveHint"].clone())
        };
        assert_eq!(hints("zones_list"), (json!(true), json!(false)));
        assert_eq!(hints("zones_create"), (json!(false), json!(false)));
        assert_eq!(hints("zones_delete"), (json!(false), json!(true)));
        assert_eq!(of("zones_create")["inputSchema"]["required"], json!(["name"]));
        assert!(of("zones_create")["description"].as_str().unwrap().starts_with("Creates a zone"));

        assert!(text(&client.calls("zones_create", json!({ "name": "Health" }))).contains("zon_"));
        assert!(text(&client.calls("zones_list", json!({}))).contains("Health"));
        assert_eq!(client.leaves(), 0, "{protocol}");
        assert_eq!(zones(&stage), ["Health"]);
        stage.run(&["session", "verify", "--all"]).expect(0);
    }
}

#[test]
fn guarded_call_waits_and_runs_once() {
    for protocol in [GENERATIONS[1], NEW] {
        let stage = CliFixture::with_script("");
        let mut client = McpStdioClient::begin(&stage, protocol, &[]);
        for name in ["Health", "Work"] {
            text(&client.calls("zones_create", json!({ "name": name })));
        }
        let listed: Value = serde_json::from_str(&text(&client.calls("zones_list", json!({})))).unwrap();
        let zone = json!({ "zone_id": listed["zones"][0]["id"] });
        let gone = listed["zones"][0]["name"].as_str().unwrap().to_owned();

        // Before the decision it is the same call, at the same position of the inbox, whatever is requested in between.
        let first = client.calls("zones_delete", zone.clone());
        assert!(text(&first).starts_with("Not done yet: a person must approve it"), "{first}");
        assert_eq!(first["structuredContent"]["status"], "waiting_for_approval");
        let id = first["structuredContent"]["inbox"].as_str().unwrap().to_owned();
        assert!(text(&client.calls("zones_list", json!({}))).contains(&gone));
        assert_eq!(client.calls("zones_delete", zone.clone()), first);
        assert_eq!(inbox(&stage), std::slice::from_ref(&id));

        // The client may disconnect and return; another process decides.
        assert_eq!(client.leaves(), 0);
        stage.run(&["approve", &id]).expect(0);
        let mut client = McpStdioClient::begin(&stage, protocol, &[]);
        let done = client.calls("zones_delete", zone.clone());
        assert!(text(&done).contains("deleted"), "{done}");
        assert_eq!(done["structuredContent"]["status"], "succeeded");
        assert_eq!(zones(&stage).len(), 1);

        // Its answer was delivered: a repeated request is a new call with its own approval.
        let again = client.calls("zones_delete", zone);
        assert_eq!(again["structuredContent"]["status"], "waiting_for_approval");
        assert_ne!(again["structuredContent"]["inbox"], json!(id));
        stage.run(&["session", "verify", "--all"]).expect(0);
    }
}

#[test]
fn refusal_has_its_reason() {
    let stage = CliFixture::with_script("");
    let mut client = McpStdioClient::begin(&stage, NEW, &[]);
    text(&client.calls("zones_create", json!({ "name": "Health" })));
    let listed: Value = serde_json::from_str(&text(&client.calls("zones_list", json!({})))).unwrap();
    let zone = json!({ "zone_id": listed["zones"][0]["id"] });
    let waits = client.calls("zones_delete", zone.clone());
    let id = waits["structuredContent"]["inbox"].as_str().unwrap();
    // Beside the running client, which owns the database.
    stage.run(&["reject", id, "--reason", "not on a Friday"]).expect(0);
    let refused = client.calls("zones_delete", zone);
    assert!(
        error(&refused).starts_with("REJECTED") && error(&refused).contains("not on a Friday"),
        "{refused}"
    );
    assert_eq!(zones(&stage), ["Health"]);
}

#[test]
fn errors_are_tool_results_not_protocol_errors() {
    let stage = CliFixture::with_script("");
    let mut client = McpStdioClient::begin(&stage, NEW, &["--commands", "zones.*"]);
    let wrong = client.calls("zones_create", json!({ "nam": "Health" }));
    assert!(
        error(&wrong).starts_with("INVALID_ARGUMENTS: the parameters of zones_create are not valid"),
        "{wrong}"
    );
    assert_eq!(wrong["structuredContent"]["status"], "invalid_arguments");
    let unknown = client.calls("tools_create", json!({}));
    assert!(
        error(&unknown)
            .starts_with("UNKNOWN_COMMAND: there is no tool tools_create; the tools are: zones_create, "),
        "{unknown}"
    );
    assert_eq!(zones(&stage), Vec::<String>::new());
}

#[test]
fn works_beside_owner_and_answers_in_parallel() {
    let stage = CliFixture::with_script("[[turn]]\ntext = \"Hello.\"\n");
    let mut chat = stage.begin(&["chat"]);
    chat.type_line("Hello");
    chat.line_with("Hello.");
    let mut client = McpStdioClient::begin(&stage, NEW, &[]);
    let asked: Vec<u64> = ["Health", "Work"]
        .map(|name| {
            client.sends("tools/call", json!({ "name": "zones_create", "arguments": { "name": name } }))
        })
        .into();
    let mut answered: Vec<u64> = asked
        .iter()
        .map(|_| {
            let (number, result) = client.hears();
            text(&result);
            number
        })
        .collect();
    answered.sort_unstable();
    assert_eq!(answered, asked);
    assert_eq!(zones(&stage).len(), 2);
    assert_eq!(client.leaves(), 0);
    assert_eq!(chat.close_stdin_and_wait(), 0);
}

#[test]
fn equal_concurrent_calls_merge_per_client() {
    let stage = CliFixture::with_script("");
    let mut first = McpStdioClient::begin(&stage, NEW, &[]);
    let mut second = McpStdioClient::begin(&stage, NEW, &[]);
    let create = json!({ "name": "zones_create", "arguments": { "name": "Health" } });
    for _ in 0..2 {
        first.sends("tools/call", create.clone());
    }
    let (one, other) = (first.hears().1, first.hears().1);
    assert_eq!(one, other, "{one}");
    assert!(text(&one).contains("zon_"));
    // The same request of another client is another call, and the name is taken.
    assert_eq!(second.asks("tools/call", create)["structuredContent"]["status"], "failed");
    assert_eq!(zones(&stage), ["Health"]);
}

#[test]
#[cfg(unix)]
fn call_with_unknown_outcome_persists_until_settled() {
    let (stage, folder) = crate::files::stage(|_| Vec::new());
    let write = json!({ "path": folder.join("b.txt"), "content": "72.50" });
    let mut client = McpStdioClient::begin(&stage, NEW, &[]);
    let waits = client.calls("files_write_file", write.clone());
    stage.write("withhold", "");
    stage.run(&["approve", waits["structuredContent"]["inbox"].as_str().unwrap()]).expect(9);
    std::fs::remove_file(stage.folder.path().join("withhold")).unwrap();
    for _ in 0..2 {
        let unknown = client.calls("files_write_file", write.clone());
        assert!(error(&unknown).starts_with("OUTCOME_UNKNOWN"), "{unknown}");
    }
    stage.run(&["settle", waits["structuredContent"]["call"].as_str().unwrap(), "happened"]).expect(0);
    let settled = client.calls("files_write_file", write.clone());
    assert_eq!(text(&settled), "a person confirmed that it happened");
    assert_eq!(
        client.calls("files_write_file", write)["structuredContent"]["status"],
        "waiting_for_approval"
    );
}

#[test]
#[cfg(unix)]
fn running_call_reports_progress_and_ends_when_cancelled() {
    let stage = CliFixture::with_script("");
    let script = crate::files::installed("server-everything");
    let (node, tool) = (crate::files::node(), "trigger-long-running-operation");
    let config = "[providers.stage]\nkind = \"rehearsal\"\nscript = \"story.toml\"\n";
    let server = format!(
        "[mcp.every]\ncommand = {node:?}\nargs = [{script:?}]\n[mcp.every.tools.{tool}]\nkind = \"query\"\n"
    );
    stage.write("entracte.toml", &format!("{config}{server}"));
    // The server is listed where one of its commands is needed.
    stage.run(&["command", "run", "every.echo", r#"{"message": "hello"}"#]);
    let mut client = McpStdioClient::begin(&stage, GENERATIONS[1], &[]);
    let call = json!({
        "name": format!("every_{tool}"), "arguments": { "duration": 600, "steps": 1 }, "_meta": { "progressToken": "p" },
    });
    let asked = client.sends("tools/call", call);
    let progress = client.message();
    assert_eq!(progress["method"], "notifications/progress", "{progress}");
    assert_eq!(progress["params"]["progressToken"], "p");
    client.says(
        &json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": asked } }),
    );
    // It leaves as soon as the call is over: much earlier than after ten minutes.
    assert_eq!(client.leaves(), 0);
}

/// The client side: one Entracte calls another one.
#[test]
fn real_client_lists_and_calls_commands() {
    let stage = CliFixture::with_script("");
    // A separate configuration: with this one it would start itself.
    stage.write("other.toml", "");
    let path = |name: &str| stage.folder.path().join(name);
    let arguments =
        format!("[\"--config\", {:?}, \"--data\", {:?}, \"mcp\"]", path("other.toml"), path("other"));
    let command = env!("CARGO_BIN_EXE_entracte");
    stage.write("entracte.toml", &format!("[mcp.other]\ncommand = {command:?}\nargs = {arguments}\n"));
    // Read-only commands start no program, so the commands are known after one of them was needed.
    stage.run(&["command", "show", "other.zones_list"]).expect(5);
    let found = stage.run(&["--json", "command", "run", "other.zones_list"]).expect(0).json();
    // The whole answer, once: both parts are the same.
    let answer = &found["result"];
    assert_eq!(answer["result"]["total"], 0, "{found}");
    assert_eq!(answer["status"], "succeeded", "{found}");
    let listed = stage.run(&["--json", "command", "show", "other.zones_list"]).expect(0).json();
    assert_eq!(listed["kind"], "query");
}
