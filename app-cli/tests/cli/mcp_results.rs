//! What a model reads of an MCP server's answers, and what becomes of an action whose session the server has forgotten.

use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Value, json};

use crate::cli_fixture::CliFixture;
use crate::http_stub::{HttpStubAnswer, HttpStubRequest, http_stub};
use crate::server::{end, serve};

/// The sessions that a server knows, and the calls that it carried out.
#[derive(Default)]
struct ServerSessions {
    begun: usize,
    known: Vec<String>,
    calls: Vec<String>,
}

/// An MCP server over HTTP whose sessions may be forgotten.
#[derive(Clone, Default)]
struct ForgetfulMcpServer(Arc<Mutex<ServerSessions>>);

impl ForgetfulMcpServer {
    /// The address of a new server, whose tools answer with these results.
    fn start(&self, tools: Value, results: Value) -> String {
        let sessions = self.clone();
        let answer = move |request: &HttpStubRequest| sessions.answer(request, &tools, &results);
        format!("{}/mcp", http_stub("127.0.0.1:0", answer))
    }

    fn forget_sessions(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).known.clear();
    }

    /// The names of the tools that ran, in order.
    fn calls(&self) -> Vec<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).calls.clone()
    }

    fn answer(&self, request: &HttpStubRequest, tools: &Value, results: &Value) -> HttpStubAnswer {
        if !request.is_post() {
            return HttpStubAnswer::empty(405);
        }
        let mut sessions = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (id, method) = (&request.body["id"], request.body["method"].as_str().unwrap_or_default());
        let answer = |status: u16, more: Value| {
            let mut message = json!({ "jsonrpc": "2.0", "id": id });
            message.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            HttpStubAnswer::json(status, &message)
        };
        if method == "initialize" {
            sessions.begun += 1;
            let session = format!("session-{}", sessions.begun);
            let result = json!({
                "protocolVersion": "2025-06-18", "capabilities": { "tools": {} },
                "serverInfo": { "name": "todo", "version": "1" },
            });
            let mut begun = answer(200, json!({ "result": result }));
            begun.headers.push_str(&format!("mcp-session-id: {session}\r\n"));
            sessions.known.push(session);
            return begun;
        }
        if !sessions.known.iter().any(|known| known == request.header("mcp-session-id")) {
            return answer(404, json!({ "error": { "code": -32001, "message": "Session not found" } }));
        }
        match method {
            "tools/list" => answer(200, json!({ "result": { "tools": tools } })),
            "tools/call" => {
                let name = request.body["params"]["name"].as_str().unwrap_or_default();
                sessions.calls.push(name.to_owned());
                answer(200, json!({ "result": results[name] }))
            }
            _ => HttpStubAnswer::empty(202),
        }
    }
}

/// A tool that only reads what its server has.
fn reading_tool(name: &str) -> Value {
    json!({
        "name": name, "inputSchema": { "type": "object" },
        "annotations": { "readOnlyHint": true, "openWorldHint": false },
    })
}

/// The server as `todo`, whose tools are on file, and a model that plays these turns.
fn stage(url: &str, turns: &str) -> CliFixture {
    let stage = CliFixture::with_config("").on_this_machine();
    stage.write(
        "entracte.toml",
        &format!(
            "[providers.stage]\nkind = \"rehearsal\"\nscript = \"story.toml\"\n\
             [mcp.todo]\nurl = {url:?}\nhandshake = \"initialize\"\n"
        ),
    );
    stage.write("story.toml", turns);
    stage.run(&["--json", "mcp", "tools", "todo"]).expect(0);
    stage
}

/// Input: a result whose text counts items that are only in its structured content, and one whose text has them too;
/// expected: the model reads the items of both, each once.
#[test]
fn items_beside_the_text_reach_the_model_once() {
    let items = json!({ "items": [{ "id": "T-1", "title": "Roof" }, { "id": "T-2", "title": "Door" }] });
    let result =
        |text: &str| json!({ "content": [{ "type": "text", "text": text }], "structuredContent": items });
    let results = json!({ "count": result("2 items"), "list": result(&items.to_string()) });
    let tools = json!([reading_tool("count"), reading_tool("list")]);
    let stage = stage(
        &ForgetfulMcpServer::default().start(tools, results),
        r#"
[[turn]]
envelope = '''{"pre_text": "I look.", "queries": [{"type": "TODO_COUNT", "params": {}}, {"type": "TODO_LIST", "params": {}}], "keep_control": true}'''
[[turn]]
text = "Two."
"#,
    );
    let turn = stage.run(&["--json", "chat", "--message", "What is to do?"]).expect(0).json();
    let calls = stage.run(&["--json", "session", "calls", turn["session"].as_str().unwrap()]);
    let calls = calls.expect(0).json()["calls"].clone();
    let read: Vec<&str> =
        calls.as_array().unwrap().iter().map(|call| call["content"].as_str().unwrap()).collect();
    assert!(read[0].starts_with("2 items\n"), "{read:?}");
    for content in read {
        assert_eq!(content.matches("Roof").count(), 1, "{content}");
    }
}

/// Input: an action is approved after the server has forgotten the session of the query before; expected: it runs once, on a
/// new session, under that approval.
#[test]
fn forgotten_session_spends_no_approval() {
    let done = json!({ "content": [{ "type": "text", "text": "ok" }] });
    let tools = json!([reading_tool("look"), { "name": "wipe", "inputSchema": { "type": "object" } }]);
    let server = ForgetfulMcpServer::default();
    let stage = stage(
        &server.start(tools, json!({ "look": done, "wipe": done })),
        r#"
[[turn]]
envelope = '''{"pre_text": "I look.", "queries": [{"type": "TODO_LOOK", "params": {}}], "keep_control": true}'''
[[turn]]
envelope = '''{"pre_text": "I wipe.", "actions": [{"type": "TODO_WIPE", "params": {}}], "keep_control": true}'''
[[turn]]
text = "Wiped."
"#,
    );
    let mut served = serve(&stage);
    let turn = stage.run(&["--json", "chat", "--message", "Wipe it."]).expect(3).json();
    assert_eq!(server.calls(), ["look"]);
    server.forget_sessions();
    let approval = turn["waiting"]["items"][0]["id"].as_str().unwrap();
    let answered = stage.run(&["approve", approval]).expect(0);
    assert!(answered.out.contains("Wiped."), "{}", answered.out);
    assert_eq!(server.calls(), ["look", "wipe"]);
    assert_eq!(end(&mut served), 0);
}
