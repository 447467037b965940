//! Creating, changing and deleting entries.

use serde_json::{Value as Json, json};

use super::ResourcesFixture;

fn entries(entries: Json) -> Json {
    json!({"tool_id": "tool_x_2_0", "entries": entries})
}

#[tokio::test]
async fn entries_are_created_changed_and_deleted() {
    let world = ResourcesFixture::health().await;
    let made = world.does(
        "tool_data.batch_create",
        entries(json!([{"data": {"value": 72}, "name": " morning "}, {"data": {"value": 71.5}}])),
    );
    assert_eq!(made.await, r#"{"created":2,"ids":["ent_x_4_0_0","ent_x_4_0_1"]}"#);
    assert_eq!(
        world.does("tool_data.get", json!({"tool_id": "tool_x_2_0", "limit": 2})).await,
        r#"{"total":3,"more":true,"entries":[{"id":"ent_x_4_0_0","timestamp":"2026-11-20T12:00:00Z","name":"morning","data":{"value":72}},{"id":"ent_x_4_0_1","timestamp":"2026-11-20T12:00:00Z","data":{"value":71.5}}]}"#
    );
    let change = json!({"entry_id": "ent_x_4_0_0", "data": {"value": 70}, "name": null});
    let changed = world.does("tool_data.update", change).await;
    assert_eq!(changed, r#"{"id":"ent_x_4_0_0","changed":["name","data.value"]}"#);
    let deleted = world.does("tool_data.delete", json!({"entry_ids": ["ent_x_4_0_0", "ent_x_3_0_0"]})).await;
    assert_eq!(deleted, r#"{"deleted":2}"#);
    let left = world.does("tools.get", json!({"tool_id": "tool_x_2_0"})).await;
    assert!(left.ends_with(r#""entries":1}"#), "{left}");
}

#[tokio::test]
async fn numbers_keep_their_text() {
    let world = ResourcesFixture::health().await;
    let mut request = world.request("tool_data.batch_create", &json!({}));
    request.command.arguments =
        crate::json::parse(r#"{"tool_id":"tool_x_2_0","entries":[{"data":{"value":72.50}}]}"#).unwrap();
    world.acts(request).await;
    assert_eq!(world.rows.body("ent_x_4_0_0"), r#"{"v":1,"data":{"value":72.50}}"#);
}

#[tokio::test]
async fn faulty_batch_names_each_fault_and_creates_nothing() {
    let world = ResourcesFixture::health().await;
    let faulty = entries(json!([
        {"data": {"value": 72}},
        {"data": {"value": 250}},
        {"data": {}},
        {"data": {"value": "x"}, "timestamp": "yesterday"},
        {"data": {"value": 72, "mood": "good"}},
    ]));
    let refused = "INVALID_ENTRY /entries/1/data/value nothing was created, because some entries are not valid for “Weight”: \
                   /entries/1/data/value: 250 is greater than the maximum of 200; \
                   /entries/2/data/value: this is required; \
                   /entries/3/data/value: \"x\" is not of type \"number\"; \
                   /entries/3/timestamp: “yesterday” is not a valid time; write date, time and offset like 2026-11-20T08:30:00Z, or leave out the offset to use the workspace's time zone; \
                   /entries/4/data/mood: there is no such field";
    assert_eq!(world.does("tool_data.batch_create", faulty).await, refused);
    let left = world.does("tool_data.get", json!({"tool_id": "tool_x_2_0"})).await;
    assert!(left.contains(r#""total":1"#), "{left}");
}

#[tokio::test]
async fn each_kind_of_tracking_takes_its_values_only() {
    let cases = [
        (json!({"kind": "numeric"}), json!(-1.5), json!("1")),
        (json!({"kind": "scale", "min": 1, "max": 5}), json!(5), json!(6)),
        (json!({"kind": "scale", "min": 1, "max": 5}), json!(1), json!(1.5)),
        (json!({"kind": "text"}), json!("calm"), json!("")),
        (json!({"kind": "choice", "options": ["a", "b"]}), json!("b"), json!("c")),
        (json!({"kind": "boolean"}), json!(false), json!("no")),
        (json!({"kind": "duration", "unit": "min"}), json!(7.5), json!(-1)),
        (json!({"kind": "counter"}), json!(3), json!(-3)),
        (json!({"kind": "counter", "min": -5}), json!(-3), json!(0.5)),
    ];
    for (config, good, bad) in cases {
        let world = ResourcesFixture::health().await;
        let tool = json!({"zone_id": "zon_x_1_0", "tool_type": "tracking", "name": "T", "config": config});
        world.does("tools.create", tool).await;
        let create = |value: Json| json!({"tool_id": "tool_x_4_0", "entries": [{"data": {"value": value}}]});
        let made = world.does("tool_data.batch_create", create(good)).await;
        assert!(made.starts_with(r#"{"created":1"#), "{config}: {made}");
        let refused = world.does("tool_data.batch_create", create(bad)).await;
        assert!(refused.starts_with("INVALID_ENTRY /entries/0/data/value "), "{config}: {refused}");
    }
}

#[tokio::test]
async fn refusals() {
    let world = ResourcesFixture::health().await;
    let many = vec![json!({"data": {"value": 70}}); 101];
    let cases = [
        (
            "tool_data.batch_create",
            json!({"tool_id": "tool_y", "entries": [{"data": {}}]}),
            "NOT_FOUND /tool_id there is no tool “tool_y”; TOOL_INSTANCES lists the existing ones",
        ),
        ("tool_data.batch_create", entries(json!(many)), "SCHEMA /entries"),
        ("tool_data.batch_create", entries(json!([])), "SCHEMA /entries"),
        (
            "tool_data.update",
            json!({"entry_id": "ent_y", "name": "A"}),
            "NOT_FOUND /entry_id there is no entry “ent_y”; TOOL_DATA lists the existing ones",
        ),
        (
            "tool_data.update",
            json!({"entry_id": "ent_x_3_0_0", "data": {"value": 10}}),
            "INVALID_ENTRY /data/value the changed entry would not be valid for “Weight”: /data/value: 10 is less than the minimum of 30",
        ),
        (
            "tool_data.update",
            json!({"entry_id": "ent_x_3_0_0", "data": {"value": null}}),
            "INVALID_ENTRY /data/value the changed entry would not be valid for “Weight”: /data/value: this is required",
        ),
        (
            "tool_data.update",
            json!({"entry_id": "ent_x_3_0_0", "timestamp": "20 November"}),
            "INVALID_ENTRY /timestamp “20 November” is not a valid time; ",
        ),
        (
            "tool_data.update",
            json!({"entry_id": "ent_x_3_0_0"}),
            "NOTHING_TO_CHANGE - there is nothing to change; give at least one of: data, timestamp, name",
        ),
        (
            "tool_data.delete",
            json!({"entry_ids": ["ent_x_3_0_0", "ent_y", "ent_z"]}),
            "NOT_FOUND /entry_ids/1 nothing was deleted (TOOL_DATA lists the existing entries): \
             /entry_ids/1: there is no entry “ent_y”; /entry_ids/2: there is no entry “ent_z”",
        ),
    ];
    for (name, arguments, expected) in cases {
        let said = world.does(name, arguments.clone()).await;
        assert!(said.starts_with(expected), "{name} {arguments}: {said}");
    }
}

#[tokio::test]
async fn descriptions_carry_the_values() {
    let world = ResourcesFixture::health().await;
    let one = entries(json!([{"data": {"value": 72.5}, "timestamp": "2026-11-20T00:00:00Z"}]));
    insta::assert_snapshot!(world.describes("tool_data.batch_create", one).await, @"
    Create 1 entry in “Weight”: 72.5 kg on 2026-11-20
    + entry.1: 72.5 kg on 2026-11-20
    ");
    let several = json!([
        {"data": {"value": 72}, "timestamp": "2026-11-20T08:30:00+01:00", "name": "morning"},
        {"data": {"value": 71}},
    ]);
    insta::assert_snapshot!(world.describes("tool_data.batch_create", entries(several)).await, @"
    Create 2 entries in “Weight”: morning: 72 kg on 2026-11-20 07:30 UTC; 71 kg now
    + entry.1: morning: 72 kg on 2026-11-20 07:30 UTC
    + entry.2: 71 kg now
    ");
    let change = json!({"entry_id": "ent_x_3_0_0", "data": {"value": 71}, "name": "evening"});
    insta::assert_snapshot!(world.describes("tool_data.update", change).await, @"
    Change the entry 72.5 kg on 2026-11-18 in “Weight”: data value, name
    - data.value: 72.5
    - name: (none)
    + data.value: 71
    + name: evening
    ");
    let delete = json!({"entry_ids": ["ent_x_3_0_0"]});
    insta::assert_snapshot!(world.describes("tool_data.delete", delete).await, @"
    Delete 1 entry: 72.5 kg on 2026-11-18 in “Weight”
    - ent_x_3_0_0: 72.5 kg on 2026-11-18 in “Weight”
    ");
}

#[tokio::test]
async fn long_batch_is_summarized_and_fully_listed() {
    let world = ResourcesFixture::health().await;
    let text = "word ".repeat(40);
    let notes = json!({"zone_id": "zon_x_1_0", "tool_type": "notes", "name": "Diary"});
    world.does("tools.create", notes).await;
    let many = vec![json!({"data": {"text": text, "title": "Day"}}); 7];
    let said =
        world.describes("tool_data.batch_create", json!({"tool_id": "tool_x_4_0", "entries": many})).await;
    let lines: Vec<&str> = said.lines().collect();
    assert!(lines[0].starts_with("Create 7 entries in “Diary”: “Day”: “word word"), "{said}");
    assert!(lines[0].ends_with("… now; and 2 more"), "{said}");
    assert_eq!(lines.len(), 8);
    assert!(lines[7].ends_with(&format!("{text}” now")), "{said}");
}
