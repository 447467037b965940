//! Creating, changing and deleting zones.

use serde_json::json;

use super::ResourcesFixture;

#[tokio::test]
async fn zone_is_created_shown_changed_and_deleted() {
    let world = ResourcesFixture::empty();
    let made = world.does("zones.create", json!({"name": " Health ", "description": "Body"})).await;
    assert_eq!(made, r#"{"id":"zon_x_1_0","name":"Health"}"#);
    assert_eq!(world.rows.body("zon_x_1_0"), r#"{"v":1,"description":"Body","require_validation":false}"#);
    let changed = world
        .does("zones.update", json!({"zone_id": "zon_x_1_0", "name": "Life", "require_validation": true}));
    assert_eq!(changed.await, r#"{"id":"zon_x_1_0","changed":["name","require_validation"]}"#);
    assert_eq!(
        world.does("zones.get", json!({"zone_id": "zon_x_1_0"})).await,
        r#"{"id":"zon_x_1_0","name":"Life","description":"Body","require_validation":true,"total":0,"more":false,"tools":[]}"#
    );
    let deleted = world.does("zones.delete", json!({"zone_id": "zon_x_1_0"})).await;
    assert_eq!(deleted, r#"{"deleted":"zon_x_1_0","tools":0,"entries":0}"#);
    assert_eq!(world.does("zones.list", json!({})).await, r#"{"total":0,"more":false,"zones":[]}"#);
}

/// Input: zones with new names and a taken one, and a zone whose own name changes its case; expected: the name is asked
/// for, and no list of zones is read.
#[tokio::test]
async fn zone_name_is_looked_up_without_the_list() {
    let world = ResourcesFixture::empty();
    for name in ["Home", "Été"] {
        world.does("zones.create", json!({"name": name})).await;
    }
    let taken = world.does("zones.create", json!({"name": "éTÉ"})).await;
    assert!(taken.contains("Été") && taken.contains("zon_x_2_0"), "{taken}");
    assert_eq!(world.rows.listed(), 0);
    let renamed = world.does("zones.update", json!({"zone_id": "zon_x_1_0", "name": "HOME"})).await;
    assert_eq!(renamed, r#"{"id":"zon_x_1_0","changed":["name"]}"#, "its own name is free");
}

#[tokio::test]
async fn null_clears_and_absent_keeps() {
    let world = ResourcesFixture::health().await;
    world.does("zones.update", json!({"zone_id": "zon_x_1_0", "name": "Life"})).await;
    assert_eq!(world.rows.body("zon_x_1_0"), r#"{"v":1,"description":"Body","require_validation":false}"#);
    world.does("zones.update", json!({"zone_id": "zon_x_1_0", "description": null})).await;
    assert_eq!(world.rows.body("zon_x_1_0"), r#"{"v":1,"require_validation":false}"#);
}

#[tokio::test]
async fn update_to_same_values_changes_nothing() {
    let world = ResourcesFixture::health().await;
    let same = world.does("zones.update", json!({"zone_id": "zon_x_1_0", "name": "Health"})).await;
    assert_eq!(same, r#"{"id":"zon_x_1_0","changed":[]}"#);
}

#[tokio::test]
async fn unknown_body_members_are_preserved() {
    let world = ResourcesFixture::health().await;
    world.rows.set_body("zon_x_1_0", r#"{"v":1,"colour":"red","require_validation":false}"#);
    world.does("zones.update", json!({"zone_id": "zon_x_1_0", "require_validation": true})).await;
    assert_eq!(world.rows.body("zon_x_1_0"), r#"{"v":1,"colour":"red","require_validation":true}"#);
}

#[tokio::test]
async fn refusals() {
    let world = ResourcesFixture::health().await;
    world.does("zones.create", json!({"name": "Home"})).await;
    let cases = [
        (
            "zones.create",
            json!({"name": "hEALTH"}),
            "NAME_TAKEN /name the zone zon_x_1_0 already has the name “Health”; choose another",
        ),
        (
            "zones.update",
            json!({"zone_id": "zon_x_1_0", "name": "home"}),
            "NAME_TAKEN /name the zone zon_x_4_0 already has the name “Home”; choose another",
        ),
        (
            "zones.update",
            json!({"zone_id": "zon_x_1_0"}),
            "NOTHING_TO_CHANGE - there is nothing to change; give at least one of: name, description, require_validation",
        ),
        (
            "zones.update",
            json!({"zone_id": "zon_y", "name": "A"}),
            "NOT_FOUND /zone_id there is no zone “zon_y”; ZONES lists the existing ones",
        ),
        (
            "zones.delete",
            json!({"zone_id": "zon_y"}),
            "NOT_FOUND /zone_id there is no zone “zon_y”; ZONES lists the existing ones",
        ),
        (
            "zones.get",
            json!({"zone_id": "tool_x_2_0"}),
            "NOT_FOUND /zone_id there is no zone “tool_x_2_0”; ZONES lists the existing ones",
        ),
    ];
    for (name, arguments, expected) in cases {
        assert_eq!(world.does(name, arguments.clone()).await, expected, "{name} {arguments}");
    }
}

#[tokio::test]
async fn descriptions() {
    let world = ResourcesFixture::health().await;
    let create = world.describes("zones.create", json!({"name": "Home", "require_validation": true})).await;
    insta::assert_snapshot!(create, @"
    Create the zone “Home”
    + name: Home
    + require_validation: yes
    ");
    let arguments = json!({"zone_id": "zon_x_1_0", "description": null, "require_validation": true});
    insta::assert_snapshot!(world.describes("zones.update", arguments.clone()).await, @"
    Change the zone “Health”: description, approval required
    - description: Body
    - require_validation: no
    + description: (none)
    + require_validation: yes
    ! every action in this zone will ask for approval
    ");
    world.does("zones.update", arguments).await;
    let off = json!({"zone_id": "zon_x_1_0", "require_validation": false});
    insta::assert_snapshot!(world.describes("zones.update", off).await, @"
    Change the zone “Health”: approval required
    - require_validation: yes
    + require_validation: no
    ! this zone will no longer ask for approval
    ");
}

#[tokio::test]
async fn a_deletion_says_all_that_goes_with_it() {
    let world = ResourcesFixture::health().await;
    let zone = json!({"zone_id": "zon_x_1_0"});
    insta::assert_snapshot!(world.describes("zones.delete", zone.clone()).await, @"
    Delete the zone “Health” and the tool in it (1 entry): “Weight”
    - tool_x_2_0: tool “Weight”, entries: 1, fingerprint cc1c52c4c4f7ebe7
    - name: Health
    - description: Body
    - require_validation: no
    ");
    let diary = json!({"zone_id": "zon_x_1_0", "tool_type": "notes", "name": "Diary"});
    world.does("tools.create", diary).await;
    insta::assert_snapshot!(world.describes("zones.delete", zone.clone()).await, @"
    Delete the zone “Health” and the 2 tools in it (1 entry): “Diary”; “Weight”
    - tool_x_5_0: tool “Diary”, entries: none
    - tool_x_2_0: tool “Weight”, entries: 1, fingerprint cc1c52c4c4f7ebe7
    - name: Health
    - description: Body
    - require_validation: no
    ");
    let touched = world.touched("zones.delete", zone.clone()).await;
    assert_eq!(touched, ("zon_x_1_0".to_owned(), "tool_x_5_0 tool_x_2_0".to_owned()));
    world.does("zones.delete", zone).await;
    let left = world.does("app.state", json!({})).await;
    assert_eq!(left, r#"{"total":0,"tools_total":0,"more":false,"zones":[]}"#);
}

/// Input: a zone with twelve tools; expected: the fields name all of them, and the sentence counts those it does not
/// name.
#[tokio::test]
async fn zone_deletion_names_every_tool() {
    let world = ResourcesFixture::health().await;
    let diaries: Vec<String> = (1..=11).map(|number| format!("Diary {number:02}")).collect();
    for name in &diaries {
        let diary = json!({"zone_id": "zon_x_1_0", "tool_type": "notes", "name": name});
        world.does("tools.create", diary).await;
    }
    let card = world.describes("zones.delete", json!({"zone_id": "zon_x_1_0"})).await;
    let (says, fields) = card.split_once('\n').unwrap();
    for name in diaries.iter().map(String::as_str).chain(["Weight"]) {
        assert_eq!(fields.matches(&format!(": tool “{name}”, entries: ")).count(), 1, "{name}: {fields}");
    }
    assert_eq!(
        says,
        "Delete the zone “Health” and the 12 tools in it (1 entry): “Diary 01”; “Diary 02”; “Diary 03”; \
         “Diary 04”; “Diary 05”; and 7 more"
    );
}

#[tokio::test]
async fn an_action_that_would_be_refused_says_so() {
    let world = ResourcesFixture::health().await;
    insta::assert_snapshot!(world.describes("zones.create", json!({"name": "Health"})).await, @r#"
    zones.create {"name":"Health"}
    ! would be refused now: the zone zon_x_1_0 already has the name “Health”; choose another
    "#);
}

#[tokio::test]
async fn plans_and_ids_are_reproducible() {
    let world = ResourcesFixture::empty();
    let request = world.request("zones.create", &json!({"name": "Home"}));
    let plan = async || world.executor_plan(request.clone()).await;
    assert_eq!(plan().await, plan().await);
}
