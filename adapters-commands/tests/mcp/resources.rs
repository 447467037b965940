//! The resources of servers as queries.

use std::sync::Arc;

use entracte_adapters_commands::McpExecutor;
use entracte_adapters_commands::mcp::{McpToolChoice, McpToolState};
use entracte_application::ports::{CallRequest, CommandExecutor as _};
use entracte_domain::command::CommandKind;
use entracte_domain::id::TaskId;
use serde_json::{Value, json};

use crate::server_fixture::{
    McpServerFixture, command_names, english, format_outcome, installed, node, request_at, run_and_format,
    tool,
};

/// A server of this generation with resources and these tools.
async fn scripted(protocol: &str, tools: &[Value]) -> (McpServerFixture, Arc<McpExecutor>) {
    let stage = McpServerFixture::new();
    stage.set_server_tools(tools);
    let mut config = stage.scripted_server_config(protocol);
    config.env.insert("PEER_CONTENT".into(), "resources".into());
    let executor = stage.connected_executor(config).await;
    (stage, executor)
}

#[tokio::test]
async fn resources_are_listed_and_read() {
    for protocol in ["2025-06-18", "2026-07-28"] {
        let (stage, executor) = scripted(protocol, &[tool("echo", "Says it again.")]).await;
        assert_eq!(command_names(&executor), ["s.echo", "s.list_resources", "s.read_resource"]);
        let say = |command: &'static str, arguments: Value| run_and_format(&executor, command, arguments);
        assert_eq!(
            say("s.list_resources", json!({})).await,
            "[link to the resource memo://a “A”, text/plain]: The first memo.\n\
             [there is more; go on with cursor: 2]"
        );
        assert_eq!(
            say("s.list_resources", json!({"cursor": "2"})).await,
            "[link to the resource memo://b “B”, unknown type]\n[resources memo://{name} “memo”, unknown type]"
        );
        assert_eq!(
            say("s.read_resource", json!({"uri": "memo://a"})).await,
            "[resource memo://a, text/plain, 9 bytes]\nBuy milk."
        );
        assert_eq!(
            say("s.read_resource", json!({"uri": "memo://b"})).await,
            "[resource memo://b, image/png, 4 bytes]"
        );
        assert_eq!(
            say("s.read_resource", json!({"uri": "memo://c"})).await,
            "INVALID_ARGUMENTS: no resource memo://c"
        );
        assert!(!stage.log().iter().any(|line| line.starts_with("tools/call ")), "{:?}", stage.log());
        executor.close().await;
    }
}

#[tokio::test]
async fn resource_queries_are_decided_like_tools() {
    let (_stage, executor) = scripted("2026-07-28", &[tool("echo", "Says it again.")]).await;
    let asks = |executor: &McpExecutor| {
        let tools = executor.tools(english()).unwrap().into_iter();
        let tools = tools.filter(|tool| tool.tool.ends_with("resource") || tool.tool.ends_with("resources"));
        let rules = tools.map(|tool| (tool.state, tool.rule.unwrap()));
        rules.map(|(state, rule)| (state, rule.kind, rule.asks, rule.sends_out)).collect::<Vec<_>>()
    };
    let expected = |asks| vec![(McpToolState::Accepted, CommandKind::Query, asks, None); 2];
    assert_eq!(asks(&executor), expected(true));
    executor.decide("s", McpToolChoice::Trust, &[]).unwrap();
    assert_eq!(asks(&executor), expected(false));

    // A resource that wants input gets none.
    let call = CallRequest {
        task: Some(TaskId::new("tsk_1")),
        ..request_at(0, "s.read_resource", json!({"uri": "memo://asks"}))
    };
    let said = format_outcome(&executor.run(call).await);
    assert!(said.starts_with("INPUT_REQUIRED: "), "{said}");
    executor.close().await;
}

#[tokio::test]
async fn tool_of_the_server_comes_before_a_resource_query() {
    let own = tool("read_resource", "Reads something else.");
    let (stage, executor) = scripted("2026-07-28", &[own]).await;
    assert_eq!(command_names(&executor), ["s.list_resources", "s.read_resource"]);
    let said = run_and_format(&executor, "s.read_resource", json!({"uri": "memo://a"})).await;
    assert_eq!(said, r#"read_resource {"uri":"memo://a"}"#);
    assert!(stage.log().contains(&"tools/call read_resource".to_owned()));
    executor.close().await;
}

#[tokio::test]
async fn link_of_the_reference_server_is_read() {
    let stage = McpServerFixture::new();
    let executor = stage.connected_executor(node(&[&installed("server-everything"), "stdio"])).await;
    let links = run_and_format(&executor, "s.get-resource-links", json!({"count": 1})).await;
    let (_, rest) = links.split_once("[link to the resource ").unwrap();
    let (uri, _) = rest.split_once(' ').unwrap();
    let read = run_and_format(&executor, "s.read_resource", json!({"uri": uri})).await;
    assert!(read.starts_with(&format!("[resource {uri}, ")), "{read}");
    let list = run_and_format(&executor, "s.list_resources", json!({})).await;
    assert!(list.contains("[resources demo://resource/dynamic/text/{resourceId} "), "{list}");
    executor.close().await;
}
