//! `notes`: texts with optional titles.

use entracte_application::schema::SchemaDocument;
use entracte_application::settings::Language;
use entracte_application::texts::{LocalizedTexts, say};
use entracte_domain::value::JsonValue;
use serde_json::{Value as Json, json};

use super::ToolType;

/// The tool type `notes`.
pub(super) struct NotesToolType;

impl ToolType for NotesToolType {
    fn name(&self) -> &'static str {
        "notes"
    }

    fn doc(&self, language: Language) -> String {
        say!(LocalizedTexts::for_language(language), "resources-type-notes")
    }

    fn config_schema(&self) -> Json {
        json!({"type": "object", "properties": {}, "additionalProperties": false})
    }

    fn entry_schema(&self, _config: Option<&JsonValue>) -> SchemaDocument {
        let schema = json!({
            "type": "object",
            "properties": {
                "text": {"type": "string", "minLength": 1, "maxLength": 20_000},
                "title": {"type": "string", "minLength": 1, "maxLength": 200},
            },
            "required": ["text"],
            "additionalProperties": false,
        });
        schema.into()
    }

    fn say(&self, _config: &JsonValue, data: &JsonValue, language: Language) -> String {
        titled(data, language)
    }
}

/// “Title”: “text”
pub(super) fn titled(data: &JsonValue, language: Language) -> String {
    let texts = LocalizedTexts::for_language(language);
    let text = data.get("text").and_then(JsonValue::as_text).unwrap_or_default();
    let text = say!(texts, "resources-quoted", text = text);
    match data.get("title").and_then(JsonValue::as_text) {
        Some(title) => {
            let title = say!(texts, "resources-quoted", text = title);
            say!(texts, "resources-named", name = title, said = text)
        }
        None => text,
    }
}
