//! `@modelcontextprotocol/server-everything`, over both transports.

use std::io::{BufRead as _, BufReader};
use std::net::TcpListener;
use std::process::{Child, Command, Stdio};

use entracte_adapters_commands::mcp::{McpLink, McpServerConfig};
use entracte_application::ports::CommandExecutor as _;
use entracte_domain::call::CallOutcome;
use serde_json::{Value, json};

use crate::server_fixture::{
    McpServerFixture, command_names, entry, eventually, format_outcome, installed, node, request_at,
    run_and_format, spawn_call,
};

/// The server as a listening process; dropping it ends it.
pub(crate) struct EverythingServerProcess {
    child: Child,
    pub(crate) port: u16,
}

impl EverythingServerProcess {
    pub(crate) fn start(port: Option<u16>) -> Self {
        let free = || TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let port = port.unwrap_or_else(free);
        let mut child = Command::new("node")
            .args([&installed("server-everything"), "streamableHttp"])
            .env("PORT", port.to_string())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map_while(Result::ok);
        assert!(lines.any(|line| line.contains("listening on port")), "the server listens");
        std::thread::spawn(move || lines.for_each(drop));
        Self { child, port }
    }

    pub(crate) fn entry(&self) -> McpServerConfig {
        entry(json!({"url": format!("http://127.0.0.1:{}/mcp", self.port)}))
    }
}

impl Drop for EverythingServerProcess {
    fn drop(&mut self) {
        // The process may have exited already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Behaviour that must be the same over both transports.
async fn answers(config: McpServerConfig) {
    let stage = McpServerFixture::new();
    let executor = stage.connected_executor(config).await;
    assert!(command_names(&executor).contains(&"s.get-sum".to_owned()));
    let say = |command: &'static str, arguments: Value| run_and_format(&executor, command, arguments);
    assert_eq!(say("s.echo", json!({"message": "hé"})).await, "Echo: hé");
    assert_eq!(say("s.get-sum", json!({"a": 2, "b": 3.5})).await, "The sum of 2 and 3.5 is 5.5.");
    let weather = say("s.get-structured-content", json!({"location": "Chicago"})).await;
    assert_eq!(weather, r#"{"temperature":36,"conditions":"Light rain / drizzle","humidity":82}"#);
    let image = say("s.get-tiny-image", json!({})).await;
    assert!(image.contains("[image image/png, ") && image.len() < 300, "{image}");
    let links = say("s.get-resource-links", json!({"count": 1})).await;
    assert!(links.contains("[link to the resource demo://"), "{links}");
    let wrong = say("s.get-sum", json!({"a": "x", "b": 1})).await;
    assert!(wrong.starts_with("TOOL_ERROR: ") || wrong.starts_with("INVALID_ARGUMENTS: "), "{wrong}");
    let [server] = &executor.servers()[..] else { panic!("one server") };
    let McpLink::Up { protocol, called } = &server.link else { panic!("{server:?}") };
    assert_eq!(protocol, "2025-11-25");
    assert!(called.as_ref().unwrap().contains("everything"));
    executor.close().await;
    assert_eq!(executor.servers()[0].link, McpLink::Never);
}

#[tokio::test]
async fn server_answers_over_standard_streams() {
    answers(node(&[&installed("server-everything")])).await;
}

#[tokio::test]
async fn server_answers_over_streamable_http() {
    let server = EverythingServerProcess::start(None);
    answers(server.entry()).await;
}

#[tokio::test]
async fn too_long_result_is_cut() {
    let stage = McpServerFixture::new();
    let config = McpServerConfig { result_max_bytes: Some(10), ..node(&[&installed("server-everything")]) };
    let executor = stage.connected_executor(config).await;
    let cut = run_and_format(&executor, "s.echo", json!({"message": "0123456789"})).await;
    assert_eq!(cut, "Echo: 0123\n[cut: 10 of 16 bytes]");
}

#[tokio::test]
async fn environment_contains_only_configured_variables() {
    let stage = McpServerFixture::new();
    std::fs::write(stage.path("key"), "sk-secret-1\n").unwrap();
    let mut config = node(&[&installed("server-everything")]);
    config.env.insert("PLAIN".into(), "shown".into());
    let secret = json!({"secret_file": stage.path("key")});
    config.env.insert("KEY".into(), serde_json::from_value(secret).unwrap());
    let executor = stage.connected_executor(config.clone()).await;
    let seen = run_and_format(&executor, "s.get-env", json!({})).await;
    let seen: Value = serde_json::from_str(&seen).unwrap();
    let names: Vec<&str> = seen.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(names, ["KEY", "PATH", "PLAIN"]);
    // The server has the secret, but the model does not.
    assert_eq!((&seen["PLAIN"], &seen["KEY"]), (&json!("shown"), &json!("[secret]")));

    config.inherit = Some(vec!["HOME".into()]);
    let other = McpServerFixture::new();
    let executor = other.connected_executor(config).await;
    let seen = run_and_format(&executor, "s.get-env", json!({})).await;
    assert!(seen.contains("/nowhere") && !seen.contains("PATH"), "{seen}");
}

#[tokio::test]
async fn dead_http_server_loses_call_and_reconnects() {
    let server = EverythingServerProcess::start(None);
    let stage = McpServerFixture::new();
    let executor = stage.connected_executor(server.entry()).await;
    assert_eq!(run_and_format(&executor, "s.echo", json!({"message": "a"})).await, "Echo: a");
    let port = server.port;
    let slow = json!({"duration": 60, "steps": 1});
    let call = spawn_call(&executor, "s.trigger-long-running-operation", slow).await;
    assert_eq!(run_and_format(&executor, "s.echo", json!({"message": "b"})).await, "Echo: b");
    drop(server);
    assert_eq!(call.await.unwrap(), CallOutcome::Lost { found_by_start: None, lands_by: None });
    let refused = run_and_format(&executor, "s.echo", json!({"message": "b"})).await;
    assert!(refused.starts_with("SERVER_UNAVAILABLE (again): the MCP server s cannot be used"), "{refused}");
    let _again = EverythingServerProcess::start(Some(port));
    let later = executor.run(request_at(100, "s.echo", json!({"message": "c"}))).await;
    assert_eq!(format_outcome(&later), "Echo: c");
    eventually(|| matches!(executor.servers()[0].link, McpLink::Up { .. })).await;
}
