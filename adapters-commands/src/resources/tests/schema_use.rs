//! Calls that show a schema, and calls that require one to have been seen.

use entracte_application::ports::{CommandExecutor, SchemaRequirement};
use serde_json::{Value as Json, json};

use super::ResourcesFixture;

/// `shows HASH…`, `needs HASH TEXT`, or an empty text; hashes are shortened.
async fn schema(world: &ResourcesFixture, name: &str, arguments: Json) -> String {
    let request = world.request(name, &arguments);
    match world.executor.schema(request, world.rows()).await.unwrap() {
        Some(SchemaRequirement::Shows(hashes)) => format!("shows {}", hashes[0]),
        Some(SchemaRequirement::Needs { schema, text }) => format!("needs {schema} {text}"),
        None => String::new(),
    }
}

fn hash(said: &str) -> &str {
    said.split(' ').nth(1).unwrap()
}

#[tokio::test]
async fn writes_need_schema_shown_by_reads_and_creations() {
    let world = ResourcesFixture::health().await;
    let shown = schema(&world, "schemas.get", json!({"tool_id": "tool_x_2_0"})).await;
    let write = json!({"tool_id": "tool_x_2_0", "entries": [{"data": {"value": 70}}]});
    let needed = schema(&world, "tool_data.batch_create", write).await;
    assert!(shown.starts_with("shows ") && needed.starts_with("needs "), "{shown} {needed}");
    assert_eq!(hash(&shown), hash(&needed));
    let text = needed.splitn(3, ' ').nth(2).unwrap();
    assert_eq!(text, world.does("schemas.get", json!({"tool_id": "tool_x_2_0"})).await);

    let change = json!({"entry_id": "ent_x_3_0_0", "data": {"value": 70}});
    assert_eq!(schema(&world, "tool_data.update", change).await, needed);

    // The limits are part of the schema; the name of the tool is not.
    let mut twin = json!({"zone_id": "zon_x_1_0", "tool_type": "tracking", "name": "Twin",
        "config": {"kind": "numeric", "unit": "kg", "min": 30, "max": 200}});
    assert_eq!(schema(&world, "tools.create", twin.clone()).await, shown);
    twin["config"]["max"] = json!(300);
    assert_ne!(schema(&world, "tools.create", twin).await, shown);
}

#[tokio::test]
async fn creation_result_contains_shown_schema() {
    let world = ResourcesFixture::health().await;
    let tool = json!({"zone_id": "zon_x_1_0", "tool_type": "tracking", "name": "Calm", "config": {"kind": "boolean"}});
    assert_eq!(
        world.does("tools.create", tool).await,
        r#"{"id":"tool_x_4_0","name":"Calm","entry":{"additionalProperties":false,"properties":{"value":{"type":"boolean"}},"required":["value"],"type":"object"}}"#
    );
}

#[tokio::test]
async fn configuration_change_shows_new_entry_schema() {
    let world = ResourcesFixture::health().await;
    let wider = json!({"tool_id": "tool_x_2_0", "config": {"max": 300}});
    let shown = schema(&world, "tools.update", wider.clone()).await;
    let answer: Json = serde_json::from_str(&world.does("tools.update", wider.clone()).await).unwrap();
    assert_eq!(answer["entry"]["properties"]["value"]["maximum"], json!(300));
    let needed = schema(&world, "tool_data.batch_create", json!({"tool_id": "tool_x_2_0"})).await;
    assert_eq!(hash(&shown), hash(&needed));
    assert_eq!(schema(&world, "tools.update", wider.clone()).await, "");
    let same = world.does("tools.update", wider).await;
    assert_eq!(same, r#"{"id":"tool_x_2_0","changed":[]}"#);
}

#[tokio::test]
async fn other_calls_need_no_schema() {
    let world = ResourcesFixture::health().await;
    let cases = [
        ("schemas.get", json!({})),
        ("schemas.get", json!({"tool_id": "tool_y"})),
        ("schemas.get", json!({"tool_type": "map"})),
        ("tool_data.batch_create", json!({"tool_id": "tool_y", "entries": []})),
        ("tool_data.update", json!({"entry_id": "ent_y", "data": {}})),
        ("tool_data.update", json!({"entry_id": "ent_x_3_0_0", "name": "A"})),
        ("tool_data.delete", json!({"entry_ids": ["ent_x_3_0_0"]})),
        ("tools.create", json!({"zone_id": "zon_x_1_0", "tool_type": "map", "name": "A"})),
        ("tools.update", json!({"tool_id": "tool_x_2_0", "name": "A"})),
        ("tools.get", json!({"tool_id": "tool_x_2_0"})),
        ("zones.create", json!({"name": "A"})),
        ("nonsense", json!({})),
    ];
    for (name, arguments) in cases {
        assert_eq!(schema(&world, name, arguments.clone()).await, "", "{name} {arguments}");
    }
}
