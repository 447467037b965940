//! An approval covers one request, whatever the server answers.

use serde_json::json;

use crate::server_fixture::{McpServerFixture, installed, node, run_and_format, tool};

/// How many tool calls the scripted server received.
fn sends(stage: &McpServerFixture) -> usize {
    stage.log().iter().filter(|line| line.starts_with("tools/call ")).count()
}

#[tokio::test]
async fn one_approval_one_send() {
    let stage = McpServerFixture::new();
    let tools = ["wants_input", "busy", "fail", "echo"].map(|name| tool(name, "Moves money."));
    stage.set_server_tools(&tools);
    let executor = stage.connected_executor(stage.scripted_server_config("2026-07-28")).await;

    let said = run_and_format(&executor, "s.wants_input", json!({"amount": 1})).await;
    assert!(said.starts_with("INPUT_REQUIRED: The tool did not finish"), "{said}");
    assert!(said.ends_with("│ Which account? [account]"), "{said}");
    assert_eq!(sends(&stage), 1, "{:?}", stage.log());

    // A server that only asks for a retry gets the same answer.
    let said = run_and_format(&executor, "s.busy", json!({})).await;
    assert!(said.ends_with("│ (it does not say what)"), "{said}");
    assert_eq!(sends(&stage), 2, "{:?}", stage.log());

    for (name, arguments) in [("s.fail", json!({"code": -32603})), ("s.echo", json!({}))] {
        let before = sends(&stage);
        run_and_format(&executor, name, arguments).await;
        assert_eq!(sends(&stage), before + 1, "{name}");
    }
}

#[tokio::test]
async fn old_server_elicitation_is_declined_without_second_request() {
    let stage = McpServerFixture::new();
    stage.set_server_tools(&[tool("elicits", "Asks.")]);
    let executor = stage.connected_executor(stage.scripted_server_config("2025-11-25")).await;
    let said = run_and_format(&executor, "s.elicits", json!({})).await;
    assert!(said == "e: ok" || said.starts_with("e: -326"), "{said}");
    assert_eq!(sends(&stage), 1);
}

#[tokio::test]
async fn reference_server_elicitations_end() {
    let stage = McpServerFixture::new();
    let executor = stage.connected_executor(node(&[&installed("server-everything"), "stdio"])).await;
    let names = crate::server_fixture::command_names(&executor);
    for name in names.iter().filter(|name| name.contains("elicit")) {
        let said = run_and_format(&executor, name, json!({})).await;
        assert!(!said.is_empty(), "{name}");
    }
}
