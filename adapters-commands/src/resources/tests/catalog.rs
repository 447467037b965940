//! Properties of all command declarations.

use std::collections::BTreeSet;

use entracte_application::json_value::to_serde;
use entracte_application::ports::{CommandExecutor, CommandSpec};
use entracte_application::schema::Schema;
use entracte_application::settings::{Language, SchemaBounds};
use entracte_domain::call::CallOutcome;
use entracte_domain::command::{CommandKind, EffectClass};
use serde_json::json;

use super::ResourcesFixture;
use crate::JournalFileExecutor;

fn all() -> Vec<CommandSpec> {
    let mut specs = ResourcesFixture::empty().executor.commands();
    specs.extend(JournalFileExecutor::new("journal", true).commands());
    specs
}

#[test]
fn names_and_words_are_unique() {
    let specs = all();
    let names: BTreeSet<&str> = specs.iter().map(|spec| spec.name.as_str()).collect();
    let words: BTreeSet<&str> = specs.iter().map(|spec| spec.word.as_str()).collect();
    assert_eq!((names.len(), words.len()), (specs.len(), specs.len()));
}

#[test]
fn schemas_are_closed_objects_accepting_their_example() {
    for spec in all() {
        let schema = Schema::new(&spec.schema, &SchemaBounds::default());
        assert!(schema.is_ok(), "{}: {schema:?}", spec.name);
        assert_eq!(spec.schema.get("type"), Some(&"object".into()), "{}", spec.name);
        assert_eq!(spec.schema.get("additionalProperties"), Some(&false.into()), "{}", spec.name);
        let validator = jsonschema::validator_for(&to_serde(&spec.schema)).unwrap();
        let example = spec.example.clone().unwrap();
        assert!(validator.is_valid(&example), "{}: {example}", spec.name);
        assert!(!validator.is_valid(&json!({"nonsense": 1})), "{}", spec.name);
    }
}

#[test]
fn doc_names_every_argument() {
    for spec in all() {
        for (name, _) in spec.schema.get("properties").unwrap().as_object().unwrap() {
            let paged = ["limit", "offset"].contains(&name.as_str());
            assert!(paged || spec.doc.contains(name.as_str()), "{}: {name}", spec.name);
        }
    }
}

#[test]
fn kinds_and_flags_of_the_resources() {
    for spec in ResourcesFixture::empty().executor.commands() {
        let (query, deletes) = (spec.kind == CommandKind::Query, spec.name.ends_with(".delete"));
        let effect = if query { EffectClass::Read } else { EffectClass::Local };
        assert_eq!(
            (spec.effect, spec.cacheable, spec.independent, spec.destructive, spec.egress),
            (effect, query, query, deletes, false),
            "{}",
            spec.name
        );
    }
}

#[tokio::test]
async fn examples_run_on_existing_rows() {
    for spec in ResourcesFixture::empty().executor.commands() {
        let world = ResourcesFixture::health().await;
        let world = if spec.name.starts_with("zones.") || spec.name == "tools.create" {
            // The examples use the names of existing rows.
            let world_without = ResourcesFixture::empty();
            world_without.does("zones.create", json!({"name": "Rooms"})).await;
            world_without
        } else if spec.name.starts_with("shared_texts.") && spec.name != "shared_texts.propose" {
            let shared = ResourcesFixture::empty();
            let text = json!({"key": "general", "version": 0, "text": "We close at 18:00.\n"});
            shared.does("shared_texts.propose", text).await;
            shared
        } else {
            world
        };
        let said = world.does(&spec.name, spec.example.unwrap()).await;
        assert!(said.starts_with('{'), "{}: {said}", spec.name);
    }
}

/// Input: every action, on a zone with several tools, a tool with several entries and a text with several proposals;
/// expected: no card has two fields of the same name, so none is lost when they are stored by name.
#[tokio::test]
async fn card_field_names_are_unique() {
    let world = ResourcesFixture::health().await;
    for name in ["Diary", "Dreams"] {
        world.does("tools.create", json!({"zone_id": "zon_x_1_0", "tool_type": "notes", "name": name})).await;
    }
    let entry = json!({"data": {"value": 71}});
    let two = json!({"tool_id": "tool_x_2_0", "entries": [entry, entry]});
    world.does("tool_data.batch_create", two.clone()).await;
    let text = |text: &str| json!({"key": "general", "version": 0, "text": text});
    for words in ["a\nb\nc\n", "b\n"] {
        world.does("shared_texts.propose", text(words)).await;
    }
    let cards = [
        ("zones.create", json!({"name": "Home", "description": "Rooms"})),
        ("zones.update", json!({"zone_id": "zon_x_1_0", "name": "Life", "description": null})),
        ("zones.delete", json!({"zone_id": "zon_x_1_0"})),
        ("tools.create", json!({"zone_id": "zon_x_1_0", "tool_type": "notes", "name": "List"})),
        (
            "tools.update",
            json!({"tool_id": "tool_x_2_0", "name": "Mass", "config": {"max": 250, "unit": null}}),
        ),
        ("tools.delete", json!({"tool_id": "tool_x_2_0"})),
        ("tool_data.batch_create", two),
        ("tool_data.update", json!({"entry_id": "ent_x_3_0_0", "name": "A", "data": {"value": 70}})),
        ("tool_data.delete", json!({"entry_ids": ["ent_x_3_0_0", "ent_x_6_0_0", "ent_x_6_0_1"]})),
        ("shared_texts.propose", text("c\n")),
        ("shared_texts.publish", json!({"proposal_id": "prp_x_7_0"})),
        ("shared_texts.discard", json!({"proposal_id": "prp_x_7_0"})),
        ("shared_texts.delete", json!({"key": "general"})),
    ];
    for spec in
        ResourcesFixture::empty().executor.commands().iter().filter(|spec| spec.kind == CommandKind::Action)
    {
        let arguments = &cards.iter().find(|(name, _)| *name == spec.name).expect(&spec.name).1;
        let request = world.request(&spec.name, arguments);
        let card = world.executor.describe(request, world.rows()).await.unwrap();
        assert!(!card.says.starts_with(&spec.name), "it is not refused: {card:?}");
        for fields in [&card.before, &card.after] {
            let names: BTreeSet<&String> = fields.iter().map(|(name, _)| name).collect();
            assert_eq!(names.len(), fields.len(), "{}: {fields:?}", spec.name);
        }
    }
}

#[tokio::test]
async fn commands_of_wrong_kind_are_unknown() {
    let world = ResourcesFixture::empty();
    let outcome = world.executor.run(world.request("zones.create", &json!({"name": "A"}))).await;
    assert_eq!(super::said(outcome), "UNKNOWN_COMMAND - there is no command “zones.create” here");
    let said = world.acts(world.request("zones.list", &json!({}))).await;
    assert_eq!(said, "UNKNOWN_COMMAND - there is no command “zones.list” here");
    let asked = world.executor.probe_outcome(world.request("zones.create", &json!({"name": "A"}))).await;
    assert_eq!(asked, CallOutcome::Lost { found_by_start: None, lands_by: None });
}

#[tokio::test]
async fn unreadable_rows_fail_the_call() {
    let world = ResourcesFixture::health().await;
    world.rows.set_body("zon_x_1_0", r#"{"v":2}"#);
    let said = world.does("zones.update", json!({"zone_id": "zon_x_1_0", "name": "B"})).await;
    assert_eq!(
        said,
        "the database is damaged: zone zon_x_1_0: its body has version 2; this version of Entracte reads 1"
    );
    world.rows.break_down();
    let said = world.does("zones.list", json!({})).await;
    assert_eq!(said, "STORE_ERROR - the data could not be read; try again later (retryable)");
    let request = world.request("zones.delete", &json!({"zone_id": "zon_x_1_0"}));
    assert!(world.executor.describe(request, world.rows()).await.is_err());
}

#[test]
fn configuration_schemas_are_valid() {
    for kind in ResourcesFixture::empty().executor.resource_model().unwrap().types(Language::En) {
        let schema = Schema::new(&kind.config, &SchemaBounds::default());
        assert!(schema.is_ok(), "{}: {schema:?}", kind.name);
    }
}
