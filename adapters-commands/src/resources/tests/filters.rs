//! Filters of the lists.

use serde_json::{Value as Json, json};

use super::ResourcesFixture;

/// The names or values in a list, and its total.
async fn shown(world: &ResourcesFixture, name: &str, arguments: Json) -> String {
    let said = world.does(name, arguments).await;
    let Ok(page) = serde_json::from_str::<Json>(&said) else { return said };
    let rows = ["zones", "tools", "entries"].iter().find_map(|list| page[*list].as_array()).unwrap();
    let word = |row: &Json| match row.get("data") {
        Some(data) => data.to_string(),
        None => row["name"].as_str().unwrap().to_owned(),
    };
    let more = if page["more"] == json!(true) { ", more" } else { "" };
    format!("{} of {}{more}", rows.iter().map(word).collect::<Vec<_>>().join(" "), page["total"])
}

#[tokio::test]
async fn lists_filter_by_name_and_type() {
    let world = ResourcesFixture::health().await;
    for name in ["Home", "Healing", "Été"] {
        world.does("zones.create", json!({"name": name})).await;
    }
    for (zone, kind, name) in
        [("zon_x_1_0", "notes", "Diary"), ("zon_x_4_0", "notes", "Wine"), ("zon_x_4_0", "list", "Wishes")]
    {
        world.does("tools.create", json!({"zone_id": zone, "tool_type": kind, "name": name})).await;
    }
    let cases = [
        ("zones.list", json!({"name": "HEAL"}), "Healing Health of 2"),
        ("zones.list", json!({"name": "heal", "limit": 1}), "Healing of 2, more"),
        ("zones.list", json!({"name": "heal", "limit": 1, "offset": 1}), "Health of 2"),
        ("zones.list", json!({"name": "heal", "offset": 9}), " of 2"),
        ("zones.list", json!({"name": "été"}), "Été of 1"),
        ("zones.list", json!({"name": "x"}), " of 0"),
        ("tools.list", json!({"name": "w"}), "Weight Wine Wishes of 3"),
        ("tools.list", json!({"name": "w", "zone_id": "zon_x_1_0"}), "Weight of 1"),
        ("tools.list", json!({"tool_type": "notes"}), "Diary Wine of 2"),
        ("tools.list", json!({"tool_type": "notes", "name": "w"}), "Wine of 1"),
        (
            "tools.list",
            json!({"tool_type": "map"}),
            "UNKNOWN_TOOL_TYPE /tool_type there is no tool type “map”; the types are: tracking, notes, journal, list",
        ),
        ("tools.list", json!({"name": null}), "SCHEMA /name null is not of type \"string\""),
    ];
    for (name, arguments, expected) in cases {
        assert_eq!(shown(&world, name, arguments.clone()).await, expected, "{name} {arguments}");
    }
}

#[tokio::test]
async fn entries_filter_by_name_range_and_value() {
    let world = ResourcesFixture::health().await;
    let entry = |day: u32, value: f64, name: &str| json!({"timestamp": format!("2026-11-{day:02}T08:00:00Z"), "data": {"value": value}, "name": name});
    let entries = [entry(10, 70.5, "Morning"), entry(11, 71.0, "evening"), entry(19, 74.0, "morning run")];
    world.does("tool_data.batch_create", json!({"tool_id": "tool_x_2_0", "entries": entries})).await;
    let cases = [
        (json!({"name": "MORNING"}), r#"{"value":74.0} {"value":70.5} of 2"#),
        (json!({"name": "morning", "order": "oldest", "limit": 1}), r#"{"value":70.5} of 2, more"#),
        (json!({"min": 71, "max": 72.50}), r#"{"value":72.5} {"value":71.0} of 2"#),
        (json!({"max": 70.5, "field": "value"}), r#"{"value":70.5} of 1"#),
        (json!({"equals": 71}), r#"{"value":71.0} of 1"#),
        (json!({"period": "0_DAY"}), r#"{"value":74.0} of 1"#),
        (json!({"period": "-1_WEEK", "min": 71}), r#"{"value":71.0} of 1"#),
        (json!({"min": 5, "max": 2}), "INVALID_FILTER /min the minimum is greater than the maximum"),
        (json!({"min": 5, "equals": 2}), "INVALID_FILTER /equals give min and max, or equals, not both"),
        (
            json!({"field": "value"}),
            "INVALID_FILTER /field the filter on the field has no condition; give min, max or equals",
        ),
        (
            json!({"field": "mood", "equals": "a"}),
            "INVALID_FILTER /field entries of “Weight” have no field “mood” to filter by; the fields are: value",
        ),
        (
            json!({"equals": "72.5"}),
            "INVALID_FILTER /equals equals is not valid for the field “value”, which holds numbers (compared up to 10^15, to 9 decimal places)",
        ),
    ];
    for (mut arguments, expected) in cases {
        arguments["tool_id"] = json!("tool_x_2_0");
        let shown = shown(&world, "tool_data.get", arguments.clone()).await;
        assert_eq!(shown, expected, "{arguments}");
    }
}

#[tokio::test]
async fn list_filters_by_done_and_notes_never() {
    let world = ResourcesFixture::health().await;
    for (kind, name) in [("list", "Wishes"), ("notes", "Diary")] {
        let tool = json!({"zone_id": "zon_x_1_0", "tool_type": kind, "name": name});
        world.does("tools.create", tool).await;
    }
    let items = json!([{"data": {"item": "tea"}}, {"data": {"item": "milk", "done": true}}]);
    world.does("tool_data.batch_create", json!({"tool_id": "tool_x_4_0", "entries": items})).await;
    let cases = [
        ("tool_x_4_0", json!({"field": "done", "equals": false}), r#"{"item":"tea"} of 1"#),
        ("tool_x_4_0", json!({"equals": true}), r#"{"done":true,"item":"milk"} of 1"#),
        (
            "tool_x_4_0",
            json!({"min": 1}),
            "INVALID_FILTER /min min is not valid for the field “done”, which holds true or false",
        ),
        (
            "tool_x_5_0",
            json!({"equals": "a"}),
            "INVALID_FILTER /field entries of “Diary” have no field to filter by",
        ),
    ];
    for (tool, mut arguments, expected) in cases {
        arguments["tool_id"] = json!(tool);
        assert_eq!(shown(&world, "tool_data.get", arguments.clone()).await, expected, "{arguments}");
    }
}

#[tokio::test]
async fn scan_stops_at_row_limit() {
    let world = ResourcesFixture::health().await;
    world.rows.say_there_are(50_001);
    let refused = "TOO_MANY_ROWS - this would search 50001 rows, and the limit is 50000; ask for less, such as a shorter period";
    assert_eq!(world.does("tool_data.stats", json!({"tool_id": "tool_x_2_0"})).await, refused);
    assert_eq!(world.does("zones.list", json!({"name": "a"})).await, refused);
    world.rows.say_there_are(50_000);
    let said = world.does("tool_data.stats", json!({"tool_id": "tool_x_2_0"})).await;
    assert!(said.starts_with(r#"{"count":1"#), "{said}");
}
