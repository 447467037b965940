//! Tool types: the built-in ones, and an additional one.

use entracte_application::json_value::to_serde;
use entracte_application::schema::SchemaDocument;
use entracte_application::settings::Language;
use entracte_domain::value::JsonValue;
use serde_json::{Value as Json, json};

use super::ResourcesFixture;
use crate::resources::tool_types::{MeasurableField, MeasureScale, ToolType, ToolTypeRegistry};

/// Notes on films with stars: a whole tool type in one place.
struct FilmToolType;

impl ToolType for FilmToolType {
    fn name(&self) -> &'static str {
        "films"
    }

    fn doc(&self, language: Language) -> String {
        match language {
            Language::En => "Keeps films with their stars.".to_owned(),
            Language::Fr => "Garde des films avec leurs étoiles.".to_owned(),
        }
    }

    fn config_schema(&self) -> Json {
        json!({"type": "object", "properties": {}, "additionalProperties": false})
    }

    fn entry_schema(&self, _config: Option<&JsonValue>) -> SchemaDocument {
        let schema = json!({
            "type": "object",
            "properties": {"film": {"type": "string"}, "stars": {"type": "integer", "minimum": 1, "maximum": 5}},
            "required": ["film", "stars"],
            "additionalProperties": false,
        });
        schema.into()
    }

    fn measures(&self, _config: &JsonValue) -> Vec<MeasurableField> {
        vec![MeasurableField { field: "stars", scale: MeasureScale::Number(None), absent: None }]
    }

    fn say(&self, _config: &JsonValue, data: &JsonValue, _language: Language) -> String {
        let text = |name| data.get(name).map(JsonValue::to_json).unwrap_or_default();
        format!("{} {}", text("film"), "*".repeat(text("stars").parse().unwrap_or_default()))
    }
}

#[tokio::test]
async fn a_tool_type_is_added_in_one_place() {
    let world = ResourcesFixture::with_types(ToolTypeRegistry::from_types(vec![Box::new(FilmToolType)]));
    world.does("zones.create", json!({"name": "Evenings"})).await;
    let tool = json!({"zone_id": "zon_x_1_0", "tool_type": "films", "name": "Seen"});
    assert!(world.does("tools.create", tool).await.starts_with(r#"{"id":"tool_x_2_0""#));
    let film = |name: &str, stars: u32| {
        let data = json!({"film": name, "stars": stars});
        json!({"tool_id": "tool_x_2_0", "entries": [{"data": data, "timestamp": "2026-11-20"}]})
    };
    let said = world.describes("tool_data.batch_create", film("Stalker", 5)).await;
    assert_eq!(said.lines().next(), Some("Create 1 entry in “Seen”: \"Stalker\" ***** on 2026-11-20"));
    for (name, stars) in [("Stalker", 5), ("Solaris", 4)] {
        world.does("tool_data.batch_create", film(name, stars)).await;
    }
    let refused = world.does("tool_data.batch_create", film("Cats", 0)).await;
    assert!(refused.contains("/entries/0/data/stars: 0 is less than the minimum of 1"), "{refused}");
    let stats = json!({"tool_id": "tool_x_2_0", "min": 5, "per_day": false});
    assert_eq!(
        world.does("tool_data.stats", stats).await,
        r#"{"count":1,"stars":{"count":1,"sum":5,"min":5,"max":5,"mean":5}}"#
    );
    let types = world.does("schemas.get", json!({})).await;
    assert_eq!(types, r#"{"tool_types":[{"tool_type":"films","doc":"Keeps films with their stars."}]}"#);
}

#[tokio::test]
async fn journal_and_list_accept_and_render_their_entries() {
    let moods = json!({"moods": ["calm", "cross"]});
    let due = json!({"due_required": true});
    let cases = [
        ("journal", json!({}), json!({"text": "Rain."}), "“Rain.” now"),
        (
            "journal",
            json!({}),
            json!({"text": "Rain.", "title": "Day", "mood": "odd"}),
            "“Day”: “Rain.”, mood: odd now",
        ),
        ("journal", moods.clone(), json!({"text": "Rain.", "mood": "calm"}), "“Rain.”, mood: calm now"),
        (
            "journal",
            moods,
            json!({"text": "Rain.", "mood": "odd"}),
            "/data/mood: \"odd\" is not one of \"calm\", \"cross\"",
        ),
        ("journal", json!({}), json!({"title": "Day"}), "/data/text: this is required"),
        ("journal", json!({"moods": ["a"]}), json!({}), "INVALID_CONFIG /config/moods"),
        ("list", json!({}), json!({"item": "tea"}), "“tea” now"),
        (
            "list",
            json!({}),
            json!({"item": "tea", "done": true, "order": 2, "due": "2026-11-30", "note": "green"}),
            "“tea”, done, place 2, due on 2026-11-30, “green” now",
        ),
        ("list", json!({}), json!({"item": "tea", "done": false}), "“tea”, not done now"),
        (
            "list",
            json!({}),
            json!({"item": "tea", "due": "2026-11-31"}),
            "/data/due: \"2026-11-31\" is not a valid date",
        ),
        (
            "list",
            json!({}),
            json!({"item": "tea", "order": -1}),
            "/data/order: -1 is less than the minimum of 0",
        ),
        ("list", json!({}), json!({"item": ""}), "/data/item: \"\" is shorter than 1 character"),
        ("list", due, json!({"item": "tea"}), "/data/due: this is required"),
    ];
    for (tool_type, config, data, expected) in cases {
        let world = ResourcesFixture::health().await;
        let tool = json!({"zone_id": "zon_x_1_0", "tool_type": tool_type, "name": "T", "config": config});
        let made = world.does("tools.create", tool).await;
        let create = json!({"tool_id": "tool_x_4_0", "entries": [{"data": data}]});
        let said = if made.starts_with('{') {
            world.describes("tool_data.batch_create", create).await
        } else {
            made
        };
        assert!(said.contains(expected), "{tool_type} {config} {data}: {said}");
    }
}

#[test]
fn every_type_has_schemas_and_localized_texts() {
    let types = ToolTypeRegistry::built_in();
    let names: Vec<&str> = types.all().map(ToolType::name).collect();
    assert_eq!(names, ["tracking", "notes", "journal", "list"]);
    for kind in types.all() {
        for schema in [
            kind.config_schema(),
            to_serde(&kind.entry_schema(None)),
            to_serde(&kind.entry_schema(Some(&JsonValue::Object(vec![])))),
        ] {
            assert!(jsonschema::meta::is_valid(&schema), "{}: {schema}", kind.name());
            assert_eq!(schema["additionalProperties"], json!(false), "{}", kind.name());
        }
        let [english, french] = Language::ALL.map(|language| kind.doc(language));
        assert!(english != french && !english.starts_with("resources-"), "{english} / {french}");
    }
}
