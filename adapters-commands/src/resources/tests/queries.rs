//! Queries: pages, periods, schemas, the overview.

use serde_json::{Value as Json, json};

use super::ResourcesFixture;

/// The zone Health with entries of 71 to 75 kg on the days 1 to 5 of November.
async fn five() -> ResourcesFixture {
    let world = ResourcesFixture::health().await;
    world.does("tool_data.delete", json!({"entry_ids": ["ent_x_3_0_0"]})).await;
    let day = |n: i32| json!({"data": {"value": 70 + n}, "timestamp": format!("2026-11-0{n}T00:00:00Z")});
    let entries: Vec<Json> = (1..=5).map(day).collect();
    world.does("tool_data.batch_create", json!({"tool_id": "tool_x_2_0", "entries": entries})).await;
    world
}

/// The values of a page, and its counts.
async fn page(world: &ResourcesFixture, mut arguments: Json) -> String {
    arguments["tool_id"] = json!("tool_x_2_0");
    let said = world.does("tool_data.get", arguments).await;
    let Ok(page) = serde_json::from_str::<Json>(&said) else { return said };
    let entries = page["entries"].as_array().unwrap();
    let values: Vec<String> = entries.iter().map(|entry| entry["data"]["value"].to_string()).collect();
    let more = if page["more"] == json!(true) { ", more" } else { "" };
    format!("{} of {}{more}", values.join(" "), page["total"])
}

#[tokio::test]
async fn entries_are_listed_by_page_and_period() {
    let world = five().await;
    let cases = [
        (json!({}), "75 74 73 72 71 of 5"),
        (json!({"limit": 2}), "75 74 of 5, more"),
        (json!({"limit": 2.0}), "75 74 of 5, more"),
        (json!({"limit": 2, "offset": 3}), "72 71 of 5"),
        (json!({"offset": 5}), " of 5"),
        (json!({"offset": 9}), " of 5"),
        (json!({"order": "oldest", "limit": 2}), "71 72 of 5, more"),
        (json!({"order": "oldest", "limit": 2, "offset": 3}), "74 75 of 5"),
        (json!({"order": "oldest", "offset": 9}), " of 5"),
        (json!({"from": "2026-11-02T00:00:00Z", "until": "2026-11-04T00:00:00Z"}), "73 72 of 2"),
        (json!({"from": "2026-11-05T00:00:01Z"}), " of 0"),
        (json!({"limit": 0}), "SCHEMA /limit 0 is less than the minimum of 1"),
        (json!({"limit": 501}), "SCHEMA /limit 501 is greater than the maximum of 500"),
        (
            json!({"from": "2026-11-04T00:00:00Z", "until": "2026-11-02T00:00:00Z"}),
            "INVALID_PERIOD /until until is before from",
        ),
        (
            json!({"until": "today"}),
            "INVALID_PERIOD /until “today” is not a valid time; write date, time and offset like 2026-11-20T08:30:00Z, or leave out the offset to use the workspace's time zone",
        ),
    ];
    for (arguments, expected) in cases {
        assert_eq!(page(&world, arguments.clone()).await, expected, "{arguments}");
    }
}

#[tokio::test]
async fn lists_report_further_rows() {
    let world = ResourcesFixture::health().await;
    world.does("zones.create", json!({"name": "Home"})).await;
    assert_eq!(
        world.does("zones.list", json!({"limit": 1})).await,
        r#"{"total":2,"more":true,"zones":[{"id":"zon_x_1_0","name":"Health","description":"Body","require_validation":false}]}"#
    );
    let weight = r#"{"id":"tool_x_2_0","zone_id":"zon_x_1_0","tool_type":"tracking","name":"Weight","require_validation":false,"always_send":false}"#;
    let tools = format!(r#"{{"total":1,"more":false,"tools":[{weight}]}}"#);
    assert_eq!(world.does("tools.list", json!({})).await, tools);
    assert_eq!(world.does("tools.list", json!({"zone_id": "zon_x_1_0"})).await, tools);
    let none = world.does("tools.list", json!({"zone_id": "zon_x_4_0"})).await;
    assert_eq!(none, r#"{"total":0,"more":false,"tools":[]}"#);
    let missing = world.does("tools.list", json!({"zone_id": "zon_y"})).await;
    assert_eq!(missing, "NOT_FOUND /zone_id there is no zone “zon_y”; ZONES lists the existing ones");
}

#[tokio::test]
async fn app_state_shows_zones_with_tools() {
    let world = ResourcesFixture::health().await;
    world.does("zones.create", json!({"name": "Home"})).await;
    assert_eq!(
        world.does("app.state", json!({})).await,
        concat!(
            r#"{"total":2,"tools_total":1,"more":false,"#,
            r#""zones":[{"id":"zon_x_1_0","name":"Health","description":"Body","require_validation":false,"#,
            r#""tools":[{"id":"tool_x_2_0","tool_type":"tracking","name":"Weight"}]},"#,
            r#"{"id":"zon_x_4_0","name":"Home","require_validation":false,"tools":[]}]}"#
        )
    );
}

#[tokio::test]
async fn schema_query_answers_for_type_and_tool() {
    let world = ResourcesFixture::health().await;
    let schema = async |arguments: Json| -> Json {
        serde_json::from_str(&world.does("schemas.get", arguments).await).unwrap()
    };
    let tool = schema(json!({"tool_id": "tool_x_2_0"})).await;
    assert_eq!(
        tool["entry"]["properties"]["value"],
        json!({"type": "number", "minimum": 30, "maximum": 200, "description": "In kg."})
    );
    let tracking = schema(json!({"tool_type": "tracking"})).await;
    assert_eq!(tracking["config"]["required"], json!(["kind"]));
    assert_eq!(tracking["entry"]["properties"]["value"]["type"], json!(["number", "string", "boolean"]));
    for part in [&tool["config"], &tool["entry"], &tracking["config"], &tracking["entry"]] {
        assert!(jsonschema::meta::is_valid(part), "{part}");
    }
    let types = schema(json!({})).await;
    assert_eq!(types["tool_types"][1]["tool_type"], json!("notes"));
    let both = world.does("schemas.get", json!({"tool_type": "notes", "tool_id": "tool_x_2_0"})).await;
    assert_eq!(both, "INVALID_ARGUMENTS - give tool_type or tool_id, not both");
    let unknown = world.does("schemas.get", json!({"tool_type": "map"})).await;
    assert_eq!(
        unknown,
        "UNKNOWN_TOOL_TYPE /tool_type there is no tool type “map”; the types are: tracking, notes, journal, list"
    );
}

#[tokio::test]
async fn page_of_long_texts_ends_early_with_notice() {
    let world = ResourcesFixture::health().await;
    world.does("tools.create", json!({"zone_id": "zon_x_1_0", "tool_type": "notes", "name": "Diary"})).await;
    let long = vec![json!({"data": {"text": "x".repeat(20_000)}}); 9];
    world.does("tool_data.batch_create", json!({"tool_id": "tool_x_4_0", "entries": long})).await;
    let shown = async |offset: u32| {
        let said = world.does("tool_data.get", json!({"tool_id": "tool_x_4_0", "offset": offset})).await;
        let page: Json = serde_json::from_str(&said).unwrap();
        (page["entries"].as_array().unwrap().len(), page["more"] == json!(true))
    };
    assert_eq!((shown(0).await, shown(4).await, shown(8).await), ((4, true), (4, true), (1, false)));
}
