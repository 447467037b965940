//! A scripted MCP server over HTTP, which answers each request as a test says.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use entracte_adapters_commands::mcp::McpServerConfig;
use serde_json::{Value, json};

use crate::server_fixture::entry;

/// A request that the server received.
#[derive(Clone, Debug)]
pub(crate) struct HttpPeerRequest {
    pub(crate) path: String,
    /// The session that it names.
    pub(crate) session: Option<String>,
    pub(crate) body: Value,
}

impl HttpPeerRequest {
    /// The method of the protocol, with the name of the tool that is called.
    fn label(&self) -> String {
        let method = self.body["method"].as_str().unwrap_or_default();
        match self.body["params"]["name"].as_str() {
            Some(tool) => format!("{method} {tool}"),
            None => method.to_owned(),
        }
    }
}

/// The answer to a request: a status, headers of its own, and a body of JSON.
pub(crate) struct HttpPeerReply {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(&'static str, String)>,
    pub(crate) body: Value,
}

impl HttpPeerReply {
    /// An error of the protocol without an id.
    pub(crate) fn error(status: u16, message: &str) -> Self {
        let error = json!({"code": -32000, "message": message});
        let body = json!({"jsonrpc": "2.0", "error": error, "id": null});
        Self { status, headers: Vec::new(), body }
    }

    /// This status, with one header.
    pub(crate) fn header(status: u16, name: &'static str, value: impl Into<String>) -> Self {
        Self { status, headers: vec![(name, value.into())], body: Value::Null }
    }
}

type Script = dyn Fn(&HttpPeerRequest, usize) -> Option<HttpPeerReply> + Send + Sync;

/// The running server. Its tools are `look`, which reads, and `wipe`, which acts.
pub(crate) struct HttpPeer {
    pub(crate) port: u16,
    requests: Arc<Mutex<Vec<HttpPeerRequest>>>,
}

impl HttpPeer {
    /// Starts a server. `script` gets a request and how many like it came before, and may answer instead of the server.
    pub(crate) fn start(
        script: impl Fn(&HttpPeerRequest, usize) -> Option<HttpPeerReply> + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let requests = Arc::new(Mutex::new(Vec::new()));
        let (script, seen): (Arc<Script>, _) = (Arc::new(script), Arc::clone(&requests));
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let (script, seen) = (Arc::clone(&script), Arc::clone(&seen));
                std::thread::spawn(move || answer(stream, &seen, script.as_ref()));
            }
        });
        Self { port, requests }
    }

    /// The configuration of the server at this path.
    pub(crate) fn config(&self, path: &str) -> McpServerConfig {
        let url = format!("http://127.0.0.1:{}{path}", self.port);
        entry(json!({"url": url, "handshake": "initialize"}))
    }

    /// How often a method came, with the name of the tool that is called.
    pub(crate) fn count(&self, label: &str) -> usize {
        self.requests.lock().unwrap().iter().filter(|request| request.label() == label).count()
    }
}

fn answer(mut stream: TcpStream, seen: &Mutex<Vec<HttpPeerRequest>>, script: &Script) {
    let Some((method, request)) = read(&stream) else { return };
    let before = {
        let mut seen = seen.lock().unwrap();
        let before = seen.iter().filter(|known| known.label() == request.label()).count();
        if method == "POST" {
            seen.push(request.clone());
        }
        before
    };
    let reply = match method.as_str() {
        "POST" => script(&request, before).unwrap_or_else(|| usual(&request, before)),
        _ => HttpPeerReply { status: 405, headers: Vec::new(), body: Value::Null },
    };
    let body = if reply.body.is_null() { String::new() } else { reply.body.to_string() };
    let mut head =
        format!("HTTP/1.1 {} x\r\nconnection: close\r\ncontent-type: application/json\r\n", reply.status);
    for (name, value) in &reply.headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    // The client may have left.
    let _ = write!(stream, "{head}content-length: {}\r\n\r\n{body}", body.len());
}

fn read(stream: &TcpStream) -> Option<(String, HttpPeerRequest)> {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line).ok()?;
    let mut words = line.split(' ').map(str::to_owned);
    let (method, path) = (words.next()?, words.next()?);
    let (mut length, mut session) = (0, None);
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim().split_once(": ") else { break };
        match name.to_ascii_lowercase().as_str() {
            "content-length" => length = value.parse().ok()?,
            "mcp-session-id" => session = Some(value.to_owned()),
            _ => {}
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    let body = serde_json::from_slice(&body).unwrap_or_default();
    Some((method, HttpPeerRequest { path, session, body }))
}

/// A healthy server's answer. Each `initialize` begins a session of its own.
fn usual(request: &HttpPeerRequest, before: usize) -> HttpPeerReply {
    let reply = |result: Value| HttpPeerReply {
        status: 200,
        headers: Vec::new(),
        body: json!({"jsonrpc": "2.0", "id": request.body["id"], "result": result}),
    };
    let tool = |name: &str, reads: bool| json!({"name": name, "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": reads}});
    match request.body["method"].as_str() {
        Some("initialize") => HttpPeerReply {
            headers: vec![("mcp-session-id", format!("session-{before}"))],
            ..reply(json!({
                "protocolVersion": "2025-06-18", "capabilities": {"tools": {}},
                "serverInfo": {"name": "peer", "version": "1"},
            }))
        },
        Some("tools/list") => reply(json!({"tools": [tool("look", true), tool("wipe", false)]})),
        Some("tools/call") => reply(json!({"content": [{"type": "text", "text": "done"}]})),
        _ => HttpPeerReply { status: 202, headers: Vec::new(), body: Value::Null },
    }
}
