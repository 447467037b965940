//! Tool instances and their configuration.

use entracte_application::ports::CommandExecutor as _;
use entracte_domain::value::JsonValue;
use serde_json::{Value as Json, json};

use super::ResourcesFixture;

fn tool(name: &str, tool_type: &str, config: Json) -> Json {
    json!({"zone_id": "zon_x_1_0", "tool_type": tool_type, "name": name, "config": config})
}

#[tokio::test]
async fn a_tool_is_made_shown_changed_and_deleted() {
    let world = ResourcesFixture::health().await;
    let made =
        world.does("tools.create", tool("Mood", "tracking", json!({"kind": "scale", "min": 1, "max": 5})));
    let made = made.await;
    assert!(made.starts_with(r#"{"id":"tool_x_4_0","name":"Mood","entry":{"#), "{made}");
    assert_eq!(
        world.does("tools.get", json!({"tool_id": "tool_x_4_0"})).await,
        r#"{"id":"tool_x_4_0","zone_id":"zon_x_1_0","tool_type":"tracking","name":"Mood","require_validation":false,"always_send":false,"config":{"kind":"scale","max":5,"min":1},"entries":0}"#
    );
    let change =
        json!({"tool_id": "tool_x_4_0", "name": "Spirits", "always_send": true, "config": {"max": 9}});
    let changed = world.does("tools.update", change).await;
    let said = r#"{"id":"tool_x_4_0","changed":["name","always_send","config.max"],"entry":{"#;
    assert!(changed.starts_with(said), "{changed}");
    let deleted = world.does("tools.delete", json!({"tool_id": "tool_x_4_0"})).await;
    assert_eq!(deleted, r#"{"deleted":"tool_x_4_0","entries":0}"#);
}

#[tokio::test]
async fn null_clears_setting_and_absent_keeps_it() {
    let world = ResourcesFixture::health().await;
    world.does("tools.update", json!({"tool_id": "tool_x_2_0", "config": {"unit": null, "max": 250}})).await;
    assert_eq!(
        world.rows.body("tool_x_2_0"),
        r#"{"v":1,"tool_type":"tracking","require_validation":false,"always_send":false,"config":{"kind":"numeric","max":250,"min":30}}"#
    );
}

#[tokio::test]
async fn a_name_is_unique_in_its_zone_only() {
    let world = ResourcesFixture::health().await;
    world.does("zones.create", json!({"name": "Home"})).await;
    let mut notes = tool("weight", "notes", json!({}));
    assert_eq!(
        world.does("tools.create", notes.clone()).await,
        "NAME_TAKEN /name the tool tool_x_2_0 already has the name “Weight”; choose another"
    );
    notes["zone_id"] = json!("zon_x_4_0");
    let made = world.does("tools.create", notes).await;
    assert!(made.starts_with(r#"{"id":"tool_x_6_0","name":"weight","#), "{made}");
}

#[tokio::test]
async fn refusals() {
    let world = ResourcesFixture::health().await;
    let missing = "there is no tool “tool_y”; TOOL_INSTANCES lists the existing ones";
    let cases = [
        (
            "tools.create",
            tool("A", "spreadsheet", json!({})),
            "UNKNOWN_TOOL_TYPE /tool_type there is no tool type “spreadsheet”; the types are: tracking, notes, journal, list"
                .to_owned(),
        ),
        (
            "tools.create",
            json!({"zone_id": "zon_y", "tool_type": "notes", "name": "A"}),
            "NOT_FOUND /zone_id there is no zone “zon_y”; ZONES lists the existing ones".to_owned(),
        ),
        (
            "tools.update",
            json!({"tool_id": "tool_x_2_0", "config": {"kind": "choice"}}),
            "INVALID_CONFIG".to_owned(),
        ),
        (
            "tools.update",
            json!({"tool_id": "tool_x_2_0"}),
            "NOTHING_TO_CHANGE - there is nothing to change; give at least one of: name, config, require_validation, always_send"
                .to_owned(),
        ),
        ("tools.update", json!({"tool_id": "tool_y", "name": "A"}), format!("NOT_FOUND /tool_id {missing}")),
        ("tools.delete", json!({"tool_id": "tool_y"}), format!("NOT_FOUND /tool_id {missing}")),
        ("tools.get", json!({"tool_id": "tool_y"}), format!("NOT_FOUND /tool_id {missing}")),
    ];
    for (name, arguments, expected) in cases {
        let said = world.does(name, arguments.clone()).await;
        assert!(said.starts_with(&expected), "{name} {arguments}: {said}");
    }
}

#[tokio::test]
async fn configuration_faults_have_their_paths() {
    let world = ResourcesFixture::health().await;
    let refused = "the configuration is not valid for a tool of type tracking:";
    let cases = [
        ("tracking", json!({}), format!("/config/kind {refused} /config/kind: this is required")),
        (
            "tracking",
            json!({"kind": "scale", "min": 1}),
            format!("/config/max {refused} /config/max: this is required"),
        ),
        (
            "tracking",
            json!({"kind": "boolean", "unit": "kg"}),
            format!("/config/unit {refused} /config/unit: this does not belong here"),
        ),
        (
            "tracking",
            json!({"kind": "numeric", "min": 5, "max": 2.5}),
            format!("/config/min {refused} /config/min: the minimum is greater than the maximum"),
        ),
        (
            "tracking",
            json!({"kind": "choice", "options": ["a", "a"]}),
            format!("/config/options {refused} /config/options: [\"a\",\"a\"] has duplicate items"),
        ),
        (
            "tracking",
            json!({"kind": "duration", "unit": "weeks"}),
            format!("/config/unit {refused} /config/unit: \"weeks\" is not one of \"s\", \"min\", \"h\""),
        ),
        (
            "notes",
            json!({"kind": "numeric"}),
            "/config/kind the configuration is not valid for a tool of type notes: /config/kind: there is no such field"
                .to_owned(),
        ),
    ];
    for (tool_type, config, expected) in cases {
        let said = world.does("tools.create", tool("A", tool_type, config.clone())).await;
        assert_eq!(said, format!("INVALID_CONFIG {expected}"), "{config}");
    }
}

#[tokio::test]
async fn descriptions_warn_of_what_changes_the_rules() {
    let world = ResourcesFixture::health().await;
    let mood = tool("Mood", "tracking", json!({"kind": "choice", "options": ["good", "bad"]}));
    insta::assert_snapshot!(world.describes("tools.create", mood).await, @r#"
    Create the tracking tool “Mood” in the zone “Health”
    + name: Mood
    + tool_type: tracking
    + require_validation: no
    + always_send: no
    + config.kind: choice
    + config.options: ["good","bad"]
    "#);
    let change = json!({"tool_id": "tool_x_2_0", "config": {"max": 150, "unit": null}, "always_send": true});
    insta::assert_snapshot!(world.describes("tools.update", change).await, @"
    Change the tool “Weight”: always sent, setting max, setting unit
    - always_send: no
    - config.max: 200
    - config.unit: kg
    + always_send: yes
    + config.max: 150
    + config.unit: (none)
    ! changes the configuration of a tool that has 1 entry
    ! the model will get this tool's data in every session
    ");
    world.does("tools.update", json!({"tool_id": "tool_x_2_0", "require_validation": true})).await;
    let off = json!({"tool_id": "tool_x_2_0", "require_validation": false});
    insta::assert_snapshot!(world.describes("tools.update", off).await, @"
    Change the tool “Weight”: approval required
    - require_validation: yes
    + require_validation: no
    ! this tool will no longer ask for approval
    ");
    let said = world.describes("tools.delete", json!({"tool_id": "tool_x_2_0"})).await;
    let goes = [
        "Delete the tool “Weight” and its data (1 entry)",
        "- entries: 1, fingerprint cc1c52c4c4f7ebe7",
        "- name: Weight",
    ];
    assert_eq!(said.lines().take(3).collect::<Vec<_>>(), goes);
}

/// Input: an entry is changed, or replaced by another one, between two views of a deletion's card; expected: the
/// bound values and the displayed text differ, although the number of entries is the same.
#[tokio::test]
async fn replaced_entries_change_deletion_card() {
    let world = ResourcesFixture::health().await;
    let deletions = [
        ("tools.delete", json!({"tool_id": "tool_x_2_0"})),
        ("zones.delete", json!({"zone_id": "zon_x_1_0"})),
    ];
    let changed = json!({"entry_id": "ent_x_3_0_0", "data": {"value": 71}});
    let deleted = json!({"entry_ids": ["ent_x_3_0_0"]});
    let made = json!({"tool_id": "tool_x_2_0", "entries": [{"data": {"value": 71}}]});
    let between = [
        vec![("tool_data.update", changed)],
        vec![("tool_data.delete", deleted), ("tool_data.batch_create", made)],
    ];
    for actions in between {
        let before = cards(&world, &deletions).await;
        assert_eq!(cards(&world, &deletions).await, before);
        for (name, arguments) in actions.clone() {
            assert!(world.does(name, arguments).await.starts_with('{'));
        }
        for (old, new) in before.iter().zip(cards(&world, &deletions).await) {
            assert_ne!(old.0, new.0, "{actions:?}");
            assert_ne!(old.1, new.1, "{actions:?}");
            assert_eq!(old.1.lines().next(), new.1.lines().next(), "there are as many");
        }
    }
}

/// For each deletion the values an approval is bound to, and the description.
async fn cards(
    world: &ResourcesFixture,
    deletions: &[(&str, Json)],
) -> Vec<(Vec<(String, JsonValue)>, String)> {
    let mut cards = Vec::new();
    for (name, arguments) in deletions {
        let bound = world.executor.overwrites(world.request(name, arguments), world.rows()).await;
        cards.push((bound.unwrap(), world.describes(name, arguments.clone()).await));
    }
    cards
}

#[tokio::test]
async fn targets() {
    let world = ResourcesFixture::health().await;
    let cases = [
        ("tools.create", tool("A", "no such type", json!({})), "zon_x_1_0 / "),
        ("tools.update", json!({"tool_id": "tool_x_2_0"}), "zon_x_1_0 / tool_x_2_0"),
        ("tools.delete", json!({"tool_id": "tool_x_2_0"}), "zon_x_1_0 / tool_x_2_0"),
        ("tools.delete", json!({"tool_id": "tool_y"}), " / "),
        ("zones.create", json!({"name": "A"}), " / "),
        ("zones.update", json!({"zone_id": "zon_x_1_0"}), "zon_x_1_0 / "),
        ("tool_data.batch_create", json!({"tool_id": "tool_x_2_0"}), "zon_x_1_0 / tool_x_2_0"),
        ("tool_data.update", json!({"entry_id": "ent_x_3_0_0"}), "zon_x_1_0 / tool_x_2_0"),
        ("tool_data.delete", json!({"entry_ids": ["ent_y", "ent_x_3_0_0"]}), "zon_x_1_0 / tool_x_2_0"),
        ("zones.list", json!({}), " / "),
    ];
    for (name, arguments, expected) in cases {
        let (containers, contained) = world.touched(name, arguments.clone()).await;
        let found = format!("{containers} / {contained}");
        assert_eq!(found, expected, "{name} {arguments}");
    }
}
