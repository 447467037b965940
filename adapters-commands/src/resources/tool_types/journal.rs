//! `journal`: diary entries: dated texts with a title and a mood. The date is the entry's own instant.

use entracte_application::json_value::from_serde;
use entracte_application::schema::SchemaDocument;
use entracte_application::settings::Language;
use entracte_application::texts::{LocalizedTexts, say};
use entracte_domain::value::JsonValue;
use serde_json::{Value as Json, json};

use super::notes::titled;
use super::{MeasurableField, MeasureScale, ToolType};

/// The tool type `journal`.
pub(super) struct JournalToolType;

impl ToolType for JournalToolType {
    fn name(&self) -> &'static str {
        "journal"
    }

    fn doc(&self, language: Language) -> String {
        say!(LocalizedTexts::for_language(language), "resources-type-journal")
    }

    fn config_schema(&self) -> Json {
        json!({
            "type": "object",
            "properties": {
                "moods": {
                    "type": "array",
                    "items": mood_schema(),
                    "minItems": 2,
                    "maxItems": 50,
                    "uniqueItems": true,
                },
            },
            "additionalProperties": false,
        })
    }

    fn entry_schema(&self, config: Option<&JsonValue>) -> SchemaDocument {
        let mut schema = from_serde(&json!({
            "type": "object",
            "properties": {
                "text": {"type": "string", "minLength": 1, "maxLength": 20_000},
                "title": {"type": "string", "minLength": 1, "maxLength": 200},
                "mood": mood_schema(),
            },
            "required": ["text"],
            "additionalProperties": false,
        }));
        let moods = config.and_then(|config| config.get("moods"));
        if let (Some(moods), Some(properties)) = (moods, schema.get_mut("properties")) {
            properties.set("mood", JsonValue::from([("enum", moods.clone())]));
        }
        schema.into()
    }

    fn measures(&self, config: &JsonValue) -> Vec<MeasurableField> {
        let moods = config.get("moods").and_then(JsonValue::as_list);
        let texts =
            |moods: &[JsonValue]| moods.iter().filter_map(JsonValue::as_text).map(str::to_owned).collect();
        // Without a configured list of moods, those that occur are counted.
        let scale = MeasureScale::Choice(moods.map(texts).unwrap_or_default());
        vec![MeasurableField { field: "mood", scale, absent: None }]
    }

    fn say(&self, _config: &JsonValue, data: &JsonValue, language: Language) -> String {
        let text = titled(data, language);
        match data.get("mood").and_then(JsonValue::as_text) {
            Some(mood) => {
                say!(LocalizedTexts::for_language(language), "resources-mood", text = text, mood = mood)
            }
            None => text,
        }
    }
}

fn mood_schema() -> Json {
    json!({"type": "string", "minLength": 1, "maxLength": 100})
}
