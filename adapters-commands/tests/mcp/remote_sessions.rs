//! Servers over HTTP that end a session, refuse a request, or move.

use serde_json::json;

use crate::everything_server::EverythingServerProcess;
use crate::http_peer::{HttpPeer, HttpPeerReply, HttpPeerRequest};
use crate::server_fixture::{McpServerFixture, entry, run_and_format};

fn calls(request: &HttpPeerRequest) -> bool {
    request.body["method"] == "tools/call"
}

/// Whether a request belongs to the first session of a server that has forgotten it.
fn is_forgotten(request: &HttpPeerRequest) -> bool {
    calls(request) && request.session.as_deref() == Some("session-0")
}

#[tokio::test]
async fn http_400_without_id_fails_the_call() {
    // The real server, started anew: it does not know the session, and says so without an id.
    let server = EverythingServerProcess::start(None);
    let stage = McpServerFixture::new();
    let executor = stage.connected_executor(server.entry()).await;
    assert_eq!(run_and_format(&executor, "s.echo", json!({"message": "a"})).await, "Echo: a");
    let port = server.port;
    drop(server);
    // Beside the runtime, which meanwhile sees that the old server closed its connections.
    let again = tokio::task::spawn_blocking(move || EverythingServerProcess::start(Some(port)));
    let _again = again.await.unwrap();
    assert_eq!(run_and_format(&executor, "s.echo", json!({"message": "b"})).await, "Echo: b");

    // A server refuses every session: the call fails at once and names the address.
    let refuses =
        |request: &HttpPeerRequest, _| calls(request).then(|| HttpPeerReply::error(400, "No valid session"));
    let peer = HttpPeer::start(refuses);
    let stage = McpServerFixture::new();
    let executor = stage.connected_executor(peer.config("/mcp?key=hidden")).await;
    for tool in ["look", "wipe"] {
        let said = run_and_format(&executor, &format!("s.{tool}"), json!({})).await;
        let expected = format!(
            "SERVER_UNAVAILABLE (again): the MCP server s cannot be used: HTTP 400: No valid session \
             (http://127.0.0.1:{}/mcp)",
            peer.port
        );
        assert_eq!(said, expected);
        assert_eq!(peer.count(&format!("tools/call {tool}")), 2, "the session is made anew once");
    }
}

#[tokio::test]
async fn lost_session_comes_back_whatever_status_says_so() {
    for status in [400, 401, 404, 410] {
        let forgets = move |request: &HttpPeerRequest, _| {
            is_forgotten(request).then(|| HttpPeerReply::error(status, "gone"))
        };
        let peer = HttpPeer::start(forgets);
        let stage = McpServerFixture::new();
        let executor = stage.connected_executor(peer.config("/mcp")).await;
        assert_eq!(run_and_format(&executor, "s.look", json!({})).await, "done", "{status}");
        assert_eq!(peer.count("initialize"), 2, "{status}");
    }
}

#[tokio::test]
async fn same_origin_redirect_is_followed() {
    let moves = |request: &HttpPeerRequest, _| {
        (request.path == "/mcp/").then(|| HttpPeerReply::header(308, "location", "/mcp"))
    };
    let peer = HttpPeer::start(moves);
    let stage = McpServerFixture::new();
    let executor = stage.connected_executor(peer.config("/mcp/")).await;
    assert_eq!(run_and_format(&executor, "s.look", json!({})).await, "done");

    // Another origin would get the headers, and another method would be another request.
    for (status, target) in [(308, "http://elsewhere.example/mcp"), (302, "/mcp")] {
        let peer = HttpPeer::start(move |_, _| Some(HttpPeerReply::header(status, "location", target)));
        let failed = McpServerFixture::new().executor(peer.config("/mcp/")).connect_all().await;
        let expected = format!(
            "the MCP server s cannot be used: HTTP {status} → {target} (http://127.0.0.1:{}/mcp/)",
            peer.port
        );
        assert_eq!(failed.iter().map(ToString::to_string).collect::<Vec<_>>(), [expected]);
    }
}

#[tokio::test]
async fn unsent_action_is_retried_under_same_approval() {
    let forgets = |request: &HttpPeerRequest, _| {
        is_forgotten(request).then(|| HttpPeerReply::error(404, "Session not found"))
    };
    let limits = |request: &HttpPeerRequest, before| {
        (calls(request) && before == 0).then(|| HttpPeerReply::header(429, "retry-after", "0"))
    };
    for peer in [HttpPeer::start(forgets), HttpPeer::start(limits)] {
        let stage = McpServerFixture::new();
        let executor = stage.connected_executor(peer.config("/mcp")).await;
        assert_eq!(run_and_format(&executor, "s.wipe", json!({})).await, "done");
        assert_eq!(peer.count("tools/call wipe"), 2);
    }
}

#[tokio::test]
async fn changed_declaration_is_not_retried() {
    let changes = |request: &HttpPeerRequest, before| {
        if is_forgotten(request) {
            return Some(HttpPeerReply::error(404, "Session not found"));
        }
        let tool = json!({"name": "wipe", "description": "Wipes all.", "inputSchema": {"type": "object"}});
        let result = json!({"jsonrpc": "2.0", "id": request.body["id"], "result": {"tools": [tool]}});
        let lists_again = request.body["method"] == "tools/list" && before > 0;
        lists_again.then(|| HttpPeerReply { status: 200, headers: Vec::new(), body: result })
    };
    let peer = HttpPeer::start(changes);
    let stage = McpServerFixture::new();
    let executor = stage.connected_executor(peer.config("/mcp")).await;
    let said = run_and_format(&executor, "s.wipe", json!({})).await;
    assert!(said.starts_with("TOOL_CHANGED: "), "{said}");
    assert_eq!(peer.count("tools/call wipe"), 1);
}

#[tokio::test]
async fn refused_action_is_not_done_and_not_retried() {
    let refuses = |request: &HttpPeerRequest, _| {
        calls(request).then(|| HttpPeerReply { status: 413, headers: Vec::new(), body: json!({"no": 1}) })
    };
    let peer = HttpPeer::start(refuses);
    let stage = McpServerFixture::new();
    let executor = stage.connected_executor(peer.config("/mcp")).await;
    let said = run_and_format(&executor, "s.wipe", json!({})).await;
    assert!(
        said.starts_with(
            "SERVER_REFUSED: the MCP server s refused the call, and did nothing: HTTP 413 (http://"
        ),
        "{said}"
    );
    assert_eq!((peer.count("tools/call wipe"), peer.count("initialize")), (1, 1));

    let waits = |request: &HttpPeerRequest, _| {
        calls(request).then(|| HttpPeerReply::header(429, "retry-after", "3600"))
    };
    let peer = HttpPeer::start(waits);
    let stage = McpServerFixture::new();
    let executor = stage.connected_executor(peer.config("/mcp")).await;
    let said = run_and_format(&executor, "s.wipe", json!({})).await;
    assert!(
        said.starts_with("SERVER_UNAVAILABLE (again): the MCP server s cannot be used: HTTP 429"),
        "{said}"
    );
    assert_eq!(peer.count("tools/call wipe"), 1, "an hour is longer than resend_max_seconds");
}

#[tokio::test]
async fn refused_connection_names_its_address() {
    let config = entry(json!({"url": "http://127.0.0.1:9/mcp?key=hidden", "handshake": "initialize"}));
    let failed = McpServerFixture::new().executor(config).connect_all().await;
    let said = failed[0].to_string();
    assert!(said.contains("(http://127.0.0.1:9/mcp)"), "{said}");
}
