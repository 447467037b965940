//! Which JSON Schemas a provider can enforce.
//!
//! Providers compile a subset of JSON Schema and answer 400 to the rest, for every call of the session. So the
//! test is strict on purpose: a keyword that is not known to be taken makes a schema unfit, and the answer's
//! shape is then asked for in words only.

use std::borrow::Cow;

use serde_json::{Map, Value};

/// What an enforced schema must look like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// Every object names all it may hold (Claude).
    Closed,
    /// And requires all of it (OpenAI strict).
    ClosedAndRequired,
}

/// The schema without the keyword that names its draft, which no provider needs.
pub fn without_draft(schema: &Value) -> Cow<'_, Value> {
    match schema {
        Value::Object(keywords) if keywords.contains_key("$schema") => {
            let mut keywords = keywords.clone();
            keywords.remove("$schema");
            Cow::Owned(Value::Object(keywords))
        }
        _ => Cow::Borrowed(schema),
    }
}

/// Whether a schema can be enforced: an object at the root and only what `rule` lets through.
pub fn fits(schema: &Value, rule: Rule) -> bool {
    schema.get("type").and_then(Value::as_str) == Some("object") && schema_fits(schema, rule)
}

fn schema_fits(schema: &Value, rule: Rule) -> bool {
    let Value::Object(keywords) = schema else { return false };
    keywords.iter().all(|(keyword, value)| keyword_fits(keyword, value, rule)) && object_fits(keywords, rule)
}

fn keyword_fits(keyword: &str, value: &Value, rule: Rule) -> bool {
    match keyword {
        "type"
        | "required"
        | "additionalProperties"
        | "enum"
        | "const"
        | "description"
        | "title"
        | "$ref"
        | "$schema" => true,
        "items" => schema_fits(value, rule),
        "anyOf" => value.as_array().is_some_and(|all| all.iter().all(|one| schema_fits(one, rule))),
        "properties" | "$defs" => {
            value.as_object().is_some_and(|all| all.values().all(|one| schema_fits(one, rule)))
        }
        _ => false,
    }
}

fn object_fits(keywords: &Map<String, Value>, rule: Rule) -> bool {
    let is_object = keywords.get("type").is_some_and(names_object) || keywords.contains_key("properties");
    if !is_object {
        return true;
    }
    let Some(Value::Object(properties)) = keywords.get("properties") else { return false };
    let closed = keywords.get("additionalProperties") == Some(&Value::Bool(false));
    closed && (rule == Rule::Closed || properties.keys().all(|name| requires(keywords, name)))
}

fn names_object(kind: &Value) -> bool {
    kind.as_str() == Some("object")
        || kind.as_array().is_some_and(|kinds| kinds.iter().any(|kind| kind.as_str() == Some("object")))
}

fn requires(keywords: &Map<String, Value>, name: &str) -> bool {
    keywords
        .get("required")
        .and_then(Value::as_array)
        .is_some_and(|required| required.iter().any(|one| one.as_str() == Some(name)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_closed_and_known_schemas_fit() {
        let strict = json!({"type": "object", "additionalProperties": false, "required": ["a"],
            "properties": {"a": {"anyOf": [{"type": "string"}, {"type": "null"}]}}});
        let optional = json!({"type": "object", "additionalProperties": false,
            "properties": {"a": {"type": "array", "items": {"type": "string"}}}});
        let open = json!({"type": "object", "properties": {"a": {"type": "string"}}});
        let free = json!({"type": "object", "additionalProperties": false, "required": ["a"],
            "properties": {"a": {"type": "object"}}});
        let bounded = json!({"type": "object", "additionalProperties": false, "required": ["a"],
            "properties": {"a": {"type": "integer", "minimum": 0}}});
        let cases = [
            (&strict, true, true),
            (&optional, true, false),
            (&open, false, false),
            (&free, false, false),
            (&bounded, false, false),
            (&json!({"type": "string"}), false, false),
        ]
        .map(|(schema, closed, required)| (schema.clone(), closed, required));
        for (schema, closed, required) in cases {
            assert_eq!(fits(&schema, Rule::Closed), closed, "{schema}");
            assert_eq!(fits(&schema, Rule::ClosedAndRequired), required, "{schema}");
        }
    }
}
