//! `notes`: texts, each with a title if one likes.

use entracte_domain::value::Value;
use serde_json::{Value as Json, json};

use super::ToolType;

/// The tool type `notes`.
pub(super) struct Notes;

impl ToolType for Notes {
    fn name(&self) -> &'static str {
        "notes"
    }

    fn doc(&self) -> &'static str {
        "Keeps texts, each with an optional title. Its configuration is empty."
    }

    fn config_schema(&self) -> Json {
        json!({"type": "object", "properties": {}, "additionalProperties": false})
    }

    fn entry_schema(&self, _config: Option<&Value>) -> Json {
        json!({
            "type": "object",
            "properties": {
                "text": {"type": "string", "minLength": 1, "maxLength": 20_000},
                "title": {"type": "string", "minLength": 1, "maxLength": 200},
            },
            "required": ["text"],
            "additionalProperties": false,
        })
    }

    fn say(&self, _config: &Value, data: &Value) -> String {
        let text = data.get("text").and_then(Value::as_text).unwrap_or_default();
        match data.get("title").and_then(Value::as_text) {
            Some(title) => format!("“{title}”: “{text}”"),
            None => format!("“{text}”"),
        }
    }
}
