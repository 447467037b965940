//! The warnings of each action's description, one row per action.

use serde_json::{Value as Json, json};

use super::ResourcesFixture;

#[tokio::test]
async fn actions_warn_only_of_approval_rule_changes() {
    let config = "changes the configuration of a tool that has 1 entry";
    let sent = "the model will get this tool's data in every session";
    let tool = |more: Json| {
        let mut tool = json!({"zone_id": "zon_x_1_0", "tool_type": "notes", "name": "Diary"});
        tool.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        tool
    };
    let of = |id: &str, name: &str, value: Json| json!({id: id_of(id), name: value});
    let cases = [
        ("zones.create", json!({"name": "Home", "require_validation": true}), vec![]),
        ("zones.update", of("zone_id", "name", json!("Life")), vec![]),
        ("zones.update", of("zone_id", "require_validation", json!(false)), vec![]),
        (
            "zones.update",
            of("zone_id", "require_validation", json!(true)),
            vec!["every action in this zone will ask for approval"],
        ),
        ("zones.delete", json!({"zone_id": "zon_x_1_0"}), vec![]),
        ("tools.create", tool(json!({"require_validation": true})), vec![]),
        ("tools.create", tool(json!({"always_send": true})), vec![sent]),
        ("tools.update", of("tool_id", "name", json!("Mass")), vec![]),
        ("tools.update", of("tool_id", "config", json!({"max": 200})), vec![]),
        ("tools.update", of("tool_id", "config", json!({"max": 250})), vec![config]),
        ("tools.update", of("tool_id", "config", json!({"unit": null})), vec![config]),
        ("tools.update", of("tool_id", "always_send", json!(true)), vec![sent]),
        (
            "tools.update",
            of("tool_id", "require_validation", json!(true)),
            vec!["every action in this tool will ask for approval"],
        ),
        ("tools.delete", json!({"tool_id": "tool_x_2_0"}), vec![]),
        (
            "tool_data.batch_create",
            json!({"tool_id": "tool_x_2_0", "entries": [{"data": {"value": 70}}]}),
            vec![],
        ),
        ("tool_data.update", json!({"entry_id": "ent_x_3_0_0", "name": "A"}), vec![]),
        ("tool_data.delete", json!({"entry_ids": ["ent_x_3_0_0"]}), vec![]),
    ];
    let world = ResourcesFixture::health().await;
    for (name, arguments, expected) in cases {
        let said = world.describes(name, arguments.clone()).await;
        let warnings: Vec<&str> = said.lines().filter_map(|line| line.strip_prefix("! ")).collect();
        assert_eq!(warnings, expected, "{name} {arguments}");
    }
}

#[tokio::test]
async fn turning_flag_off_warns() {
    let world = ResourcesFixture::health().await;
    for (name, id, what) in [("zones.update", "zone_id", "zone"), ("tools.update", "tool_id", "tool")] {
        world.does(name, json!({id: id_of(id), "require_validation": true})).await;
        let said = world.describes(name, json!({id: id_of(id), "require_validation": false})).await;
        let warning = format!("! this {what} will no longer ask for approval");
        assert_eq!(said.lines().last(), Some(warning.as_str()), "{name}");
    }
}

fn id_of(argument: &str) -> &'static str {
    if argument == "zone_id" { "zon_x_1_0" } else { "tool_x_2_0" }
}
