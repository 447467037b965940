//! `tracking`: a series of values: a weight, a mood, a count of cups.

use std::cmp::Ordering;

use entracte_application::json_value::{compare_numbers, from_serde};
use entracte_application::schema::SchemaDocument;
use entracte_application::settings::Language;
use entracte_application::texts::{LocalizedTexts, say};
use entracte_domain::value::JsonValue;
use serde_json::{Map, Value as Json, json};

use super::{MeasurableField, MeasureScale, ToolType};
use crate::resources::refusal::ArgumentFault;
use crate::resources::value_text::truth;

/// The tool type `tracking`.
pub(super) struct TrackingToolType;

/// A kind of value: its name, its allowed settings, and its required ones.
struct TrackingValueKind {
    name: &'static str,
    takes: &'static [&'static str],
    needs: &'static [&'static str],
}

const KINDS: [TrackingValueKind; 7] = [
    TrackingValueKind { name: "numeric", takes: &["unit", "min", "max"], needs: &[] },
    TrackingValueKind { name: "scale", takes: &["unit", "min", "max"], needs: &["min", "max"] },
    TrackingValueKind { name: "text", takes: &[], needs: &[] },
    TrackingValueKind { name: "choice", takes: &["options"], needs: &["options"] },
    TrackingValueKind { name: "boolean", takes: &[], needs: &[] },
    TrackingValueKind { name: "duration", takes: &["unit", "min", "max"], needs: &["unit"] },
    TrackingValueKind { name: "counter", takes: &["unit", "min", "max"], needs: &[] },
];

const SETTINGS: [&str; 4] = ["unit", "min", "max", "options"];
const DURATION_UNITS: [&str; 3] = ["s", "min", "h"];

impl ToolType for TrackingToolType {
    fn name(&self) -> &'static str {
        "tracking"
    }

    fn doc(&self, language: Language) -> String {
        say!(LocalizedTexts::for_language(language), "resources-type-tracking")
    }

    fn config_schema(&self) -> Json {
        json!({
            "type": "object",
            "properties": {
                "kind": {"enum": KINDS.map(|kind| kind.name)},
                "unit": {"type": "string", "minLength": 1, "maxLength": 30},
                "min": {"type": "number"},
                "max": {"type": "number"},
                "options": {
                    "type": "array",
                    "items": {"type": "string", "minLength": 1, "maxLength": 100},
                    "minItems": 2,
                    "maxItems": 50,
                    "uniqueItems": true,
                },
            },
            "required": ["kind"],
            "additionalProperties": false,
            "allOf": KINDS.iter().map(rules_of).collect::<Vec<_>>(),
        })
    }

    fn config_faults(&self, config: &JsonValue, language: Language) -> Vec<ArgumentFault> {
        let bounds = config.get("min").zip(config.get("max"));
        let order = bounds.and_then(|(min, max)| compare_numbers(min, max));
        if order != Some(Ordering::Greater) {
            return Vec::new();
        }
        let message = say!(LocalizedTexts::for_language(language), "resources-fault-bounds");
        vec![ArgumentFault { path: "/min".to_owned(), message }]
    }

    fn entry_schema(&self, config: Option<&JsonValue>) -> SchemaDocument {
        let value = config.map_or_else(|| from_serde(&any_value()), value_schema);
        let schema = JsonValue::from([
            ("type", JsonValue::from("object")),
            ("properties", JsonValue::from([("value", value)])),
            ("required", JsonValue::from(vec![JsonValue::from("value")])),
            ("additionalProperties", JsonValue::from(false)),
        ]);
        schema.into()
    }

    fn measures(&self, config: &JsonValue) -> Vec<MeasurableField> {
        let text = |name| config.get(name).and_then(JsonValue::as_text);
        let options = config.get("options").and_then(JsonValue::as_list).unwrap_or_default();
        let scale = match text("kind").unwrap_or_default() {
            "numeric" | "scale" | "duration" | "counter" => {
                MeasureScale::Number(text("unit").map(str::to_owned))
            }
            "choice" => MeasureScale::Choice(
                options.iter().filter_map(JsonValue::as_text).map(str::to_owned).collect(),
            ),
            "boolean" => MeasureScale::Truth,
            _ => MeasureScale::Text,
        };
        vec![MeasurableField { field: "value", scale, absent: None }]
    }

    fn say(&self, config: &JsonValue, data: &JsonValue, language: Language) -> String {
        let texts = LocalizedTexts::for_language(language);
        let unit = config.get("unit").and_then(JsonValue::as_text);
        match (data.get("value"), unit) {
            (Some(JsonValue::Number(number)), Some(unit)) => format!("{number} {unit}"),
            (Some(JsonValue::Number(number)), None) => number.clone(),
            (Some(JsonValue::Bool(value)), _) => truth(texts, *value),
            (Some(JsonValue::Text(text)), _) => say!(texts, "resources-quoted", text = text),
            (Some(other), _) => other.to_json(),
            (None, _) => say!(texts, "resources-no-value"),
        }
    }
}

/// A schema rule: `if` the kind is this one, `then` its required settings must be present, and others must not.
fn rules_of(kind: &TrackingValueKind) -> Json {
    let foreign = SETTINGS.iter().filter(|setting| !kind.takes.contains(setting));
    let mut properties: Map<String, Json> =
        foreign.map(|name| ((*name).to_owned(), Json::Bool(false))).collect();
    match kind.name {
        "duration" => drop(properties.insert("unit".to_owned(), json!({"enum": DURATION_UNITS}))),
        "scale" | "counter" => {
            properties.insert("min".to_owned(), json!({"type": "integer"}));
            properties.insert("max".to_owned(), json!({"type": "integer"}));
        }
        _ => {}
    }
    json!({
        "if": {"properties": {"kind": {"const": kind.name}}, "required": ["kind"]},
        "then": {"properties": properties, "required": kind.needs},
    })
}

fn any_value() -> Json {
    json!({"type": ["number", "string", "boolean"], "description": "What the tool's kind asks for."})
}

fn value_schema(config: &JsonValue) -> JsonValue {
    match config.get("kind").and_then(JsonValue::as_text).unwrap_or_default() {
        "numeric" => bounded("number", config, None),
        "scale" => bounded("integer", config, None),
        "duration" => bounded("number", config, Some(0)),
        "counter" => bounded("integer", config, Some(0)),
        "boolean" => from_serde(&json!({"type": "boolean"})),
        "choice" => {
            let options = config.get("options").cloned();
            JsonValue::from([("enum", options.unwrap_or(JsonValue::List(Vec::new())))])
        }
        _ => from_serde(&json!({"type": "string", "minLength": 1, "maxLength": 2000})),
    }
}

/// The schema of a number between the configured bounds, and at least `least`.
fn bounded(kind: &str, config: &JsonValue, least: Option<i64>) -> JsonValue {
    let mut schema = JsonValue::from([("type", JsonValue::from(kind))]);
    if let Some(min) = config.get("min").cloned().or_else(|| least.map(JsonValue::from)) {
        schema.set("minimum", min);
    }
    if let Some(max) = config.get("max") {
        schema.set("maximum", max.clone());
    }
    if let Some(unit) = config.get("unit").and_then(JsonValue::as_text) {
        schema.set("description", JsonValue::from(format!("In {unit}.")));
    }
    schema
}

#[cfg(test)]
mod tests {
    use entracte_application::system::sha256;

    use super::super::schema_digest;
    use super::*;
    use crate::json;

    /// Input: bounds that no machine number holds as they are written; expected: the digest by which sessions know a
    /// schema that they were shown. Exponents are written as JSON libraries print them.
    #[test]
    fn schema_digest_keeps_spelling_of_bounds() {
        let config = r#"{"kind":"numeric","unit":"kg","min":1e2,"max":12345678901234567890.120}"#;
        let config = json::parse(config).unwrap();
        let schema = TrackingToolType.entry_schema(Some(&config));
        let shown = concat!(
            r#"{"additionalProperties":false,"properties":{"value":{"description":"In kg.","#,
            r#""maximum":12345678901234567890.120,"minimum":1e+2,"type":"number"}},"required":["value"],"type":"object"}"#
        );
        assert_eq!(schema_digest(&schema), sha256(shown.as_bytes()), "{}", schema.canonical());
    }

    #[test]
    fn bounds_are_compared_by_all_digits() {
        let faults = |min: &str, max: &str| {
            let config = format!(r#"{{"kind":"numeric","min":{min},"max":{max}}}"#);
            TrackingToolType.config_faults(&json::parse(&config).unwrap(), Language::En).len()
        };
        assert_eq!(faults("100.00000000000000000001", "1e2"), 1);
        assert_eq!(faults("1e2", "100.00000000000000000001"), 0);
        assert_eq!(faults("100.0", "1e2"), 0);
    }
}
