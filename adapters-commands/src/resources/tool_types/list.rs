//! `list`: items to tick off: a text, a done flag, a position in the list, a due day.

use entracte_application::schema::SchemaDocument;
use entracte_application::settings::Language;
use entracte_application::texts::{LocalizedTexts, say};
use entracte_domain::value::JsonValue;
use serde_json::{Value as Json, json};

use super::{MeasurableField, MeasureScale, ToolType};

/// The tool type `list`.
pub(super) struct ListToolType;

impl ToolType for ListToolType {
    fn name(&self) -> &'static str {
        "list"
    }

    fn doc(&self, language: Language) -> String {
        say!(LocalizedTexts::for_language(language), "resources-type-list")
    }

    fn config_schema(&self) -> Json {
        json!({
            "type": "object",
            "properties": {"due_required": {"type": "boolean"}},
            "additionalProperties": false,
        })
    }

    fn entry_schema(&self, config: Option<&JsonValue>) -> SchemaDocument {
        let due_required = config.and_then(|config| config.get("due_required")).and_then(JsonValue::as_bool);
        let required = if due_required == Some(true) { vec!["item", "due"] } else { vec!["item"] };
        let schema = json!({
            "type": "object",
            "properties": {
                "item": {"type": "string", "minLength": 1, "maxLength": 500},
                "done": {"type": "boolean", "description": "Not done when absent."},
                "order": {"type": "integer", "minimum": 0, "maximum": MOST_ORDER,
                    "description": "Its place in the list, the lowest first."},
                "due": {"type": "string", "format": "date", "description": "The day it is due: 2026-11-30."},
                "note": {"type": "string", "minLength": 1, "maxLength": 2000},
            },
            "required": required,
            "additionalProperties": false,
        });
        schema.into()
    }

    fn measures(&self, _config: &JsonValue) -> Vec<MeasurableField> {
        vec![MeasurableField {
            field: "done",
            scale: MeasureScale::Truth,
            absent: Some(JsonValue::from(false)),
        }]
    }

    fn say(&self, _config: &JsonValue, data: &JsonValue, language: Language) -> String {
        let texts = LocalizedTexts::for_language(language);
        let text = |name| data.get(name).and_then(JsonValue::as_text);
        let mut parts = vec![say!(texts, "resources-quoted", text = text("item").unwrap_or_default())];
        match data.get("done").and_then(JsonValue::as_bool) {
            Some(true) => parts.push(say!(texts, "resources-done")),
            Some(false) => parts.push(say!(texts, "resources-open")),
            None => {}
        }
        if let Some(JsonValue::Number(place)) = data.get("order") {
            parts.push(say!(texts, "resources-place", place = place));
        }
        if let Some(due) = text("due") {
            parts.push(say!(texts, "resources-due", due = due));
        }
        if let Some(note) = text("note") {
            parts.push(say!(texts, "resources-quoted", text = note));
        }
        parts.join(", ")
    }
}

/// The greatest position in a list.
const MOST_ORDER: u32 = 1_000_000;
