//! Declarations beyond the size limits do not affect other tools.

use entracte_adapters_commands::McpExecutor;
use entracte_adapters_commands::mcp::McpToolState;
use entracte_application::ports::CommandExecutor;
use serde_json::{Value, json};

use crate::server_fixture::{McpServerFixture, command_names, english, run_and_format, tool};

/// A tool whose schema doubles its references 40 times.
fn bomb() -> Value {
    let definitions = (0..40).map(|level| {
        let next = json!({"$ref": format!("#/$defs/d{}", level + 1)});
        (format!("d{level}"), json!({"allOf": [next, next]}))
    });
    let mut definitions: serde_json::Map<String, Value> = definitions.collect();
    definitions.insert("d40".to_owned(), json!({"type": "string"}));
    let schema = json!({"type": "object", "properties": {"x": {"$ref": "#/$defs/d0"}}, "$defs": definitions});
    json!({"name": "bomb", "description": "Harmless.", "inputSchema": schema})
}

/// The reasons why tools are unusable.
fn out_of_use(executor: &McpExecutor) -> Vec<String> {
    let tools = executor.tools(english()).unwrap().into_iter();
    tools
        .filter_map(|tool| match tool.state {
            McpToolState::Unusable { argument, why } => Some(
                [Some(tool.tool), argument, Some(why)].into_iter().flatten().collect::<Vec<_>>().join(": "),
            ),
            _ => None,
        })
        .collect()
}

#[tokio::test]
async fn oversized_declaration_is_disabled_and_not_stored() {
    let stage = McpServerFixture::new();
    let huge = tool("huge", &"x".repeat(8 << 20));
    stage.set_server_tools(&[bomb(), tool("echo", "Says it again."), huge]);
    let executor = stage.connected_executor(stage.scripted_server_config("2026-07-28")).await;
    assert_eq!(command_names(&executor), ["s.echo"]);
    assert_eq!(
        out_of_use(&executor),
        [
            "bomb: its schema is nested more than 64 levels deep (bounds.schema_depth)",
            "huge: its declaration has more than 65536 bytes (declaration_max_bytes)",
        ]
    );
    let kept = std::fs::metadata(stage.path("pins.json")).unwrap().len();
    assert!(kept < 20_000, "{kept} bytes are kept");
    assert_eq!(run_and_format(&executor, "s.echo", json!({"a": 1})).await, r#"echo {"a":1}"#);
    assert!(run_and_format(&executor, "s.huge", json!({})).await.starts_with("UNKNOWN_COMMAND"));
}

/// Input: a tool of which the schema of one argument refers outside; expected: that argument and one reason.
#[tokio::test]
async fn refused_schema_names_the_argument() {
    let stage = McpServerFixture::new();
    let mut far = tool("far", "Looks far.");
    far["inputSchema"] = json!({"type": "object", "properties": {"filter": {"$ref": "#/$defs/filter"}},
        "$defs": {"filter": {"properties": {"dates": {"items": {"$ref": "https://example.org/date.json"}}}}}});
    stage.set_server_tools(&[far, tool("echo", "Says it again.")]);
    let executor = stage.connected_executor(stage.scripted_server_config("2026-07-28")).await;
    assert_eq!(
        out_of_use(&executor),
        [
            "far: filter.dates[]: its schema refers to https://example.org/date.json, which is outside the schema; nothing is fetched"
        ]
    );
}

#[tokio::test]
async fn accepted_tool_growing_too_large_is_disabled() {
    let stage = McpServerFixture::new();
    stage.set_server_tools(&[tool("change", "Changes."), tool("echo", "Says it again.")]);
    let executor = stage.connected_executor(stage.scripted_server_config("2025-11-25")).await;
    stage.set_server_tools(&[tool("change", "Changes."), tool("echo", &"x".repeat(1 << 20))]);
    executor.refresh("s").await.unwrap();
    let said = run_and_format(&executor, "s.echo", json!({})).await;
    assert!(said.starts_with("TOOL_REFUSED: “s.echo” is out of use"), "{said}");
    assert!(!stage.log().contains(&"tools/call echo".to_owned()), "nothing was sent");
    let why = executor.accept("s", "echo", None).unwrap_err().to_string();
    assert!(why.starts_with("the tool s.echo cannot be accepted: its declaration has more than"), "{why}");
    assert_eq!(executor.commands().len(), 2, "a catalog that is in use does not change");
}

#[tokio::test]
async fn number_digits_reach_server() {
    let stage = McpServerFixture::new();
    stage.set_server_tools(&[tool("raw", "Answers what it got.")]);
    let executor = stage.connected_executor(stage.scripted_server_config("2025-11-25")).await;
    let amount = entracte_application::json_value::parse(r#"{"amount": 100.00000000000000000001}"#).unwrap();
    let mut request = crate::server_fixture::request_at(0, "s.raw", json!({}));
    request.command.arguments = amount;
    let said = crate::server_fixture::format_outcome(&executor.run(request).await);
    assert!(said.contains("100.00000000000000000001"), "{said}");
}

#[tokio::test]
async fn dropped_approval_requirement_is_reported() {
    let stage = McpServerFixture::new();
    let quiet = |name: &str| {
        let mut quiet = tool(name, "Reads.");
        quiet["annotations"] = json!({"readOnlyHint": true, "openWorldHint": false});
        quiet
    };
    stage.set_server_tools(&[tool("a", "Writes."), tool("b", "Writes."), quiet("c")]);
    let executor = stage.connected_executor(stage.scripted_server_config("2025-11-25")).await;
    stage.set_server_tools(&[quiet("a"), tool("b", "Writes more."), tool("c", "Writes.")]);
    executor.refresh("s").await.unwrap();
    let loosens: Vec<(String, bool)> =
        executor.tools(english()).unwrap().into_iter().map(|tool| (tool.tool, tool.loosens)).collect();
    assert_eq!(loosens, [("a".to_owned(), true), ("b".to_owned(), false), ("c".to_owned(), false)]);
}
