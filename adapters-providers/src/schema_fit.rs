//! Checks which JSON Schemas a provider can enforce.
//!
//! Providers compile a subset of JSON Schema and answer 400 to everything else, for every call of the session. So the
//! check is strict on purpose: an unknown keyword makes a schema unfit, and the answer's shape is then only described
//! in the prompt.

use std::borrow::Cow;

use entracte_application::schema::SchemaDocument;
use entracte_domain::value::JsonValue;

/// Requirements of a provider for an enforced schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SchemaRule {
    /// Every object lists all its properties and allows no others (Claude).
    Closed,
    /// Every object also requires all of its properties (OpenAI strict).
    ClosedAndRequired,
}

/// The schema without `$schema`, the draft keyword, which no provider needs.
pub fn without_draft(schema: &SchemaDocument) -> Cow<'_, SchemaDocument> {
    if schema.get("$schema").is_none() {
        return Cow::Borrowed(schema);
    }
    let mut schema = schema.clone().into_value();
    schema.remove("$schema");
    Cow::Owned(schema.into())
}

/// The schema of a tool's arguments in a form that servers accept: without a choice of shapes at its root. The
/// properties of all shapes are merged there; the arguments are checked against the original schema anyway.
pub(crate) fn of_tool(schema: &SchemaDocument) -> Cow<'_, SchemaDocument> {
    let chooses = CHOICES.iter().any(|name| schema.get(name).is_some());
    // Properties nested elsewhere would be lost, so the schema is sent unchanged and the server decides.
    if !chooses || !shows_members(schema) {
        return Cow::Borrowed(schema);
    }
    let mut plain = schema.clone().into_value();
    let mut properties = plain.remove("properties").unwrap_or(JsonValue::Object(Vec::new()));
    for choice in CHOICES {
        let shapes = plain.remove(choice);
        for shape in shapes.as_ref().and_then(JsonValue::as_list).unwrap_or_default() {
            for (name, member) in shape.get("properties").and_then(JsonValue::as_object).unwrap_or_default() {
                if properties.get(name).is_none() {
                    properties.set(name, member.clone());
                }
            }
        }
    }
    plain.set("properties", properties);
    plain.set("type", JsonValue::from("object"));
    Cow::Owned(plain.into())
}

/// Whether each alternative lists its properties directly and has no further alternatives.
fn shows_members(schema: &JsonValue) -> bool {
    let is_plain = |shape: &JsonValue| {
        let says = |name: &str| shape.get(name).is_some();
        !says("$ref") && !SHAPES.iter().any(|name| says(name))
    };
    SHAPES.iter().filter_map(|name| schema.get(name)?.as_list()).flatten().all(is_plain)
}

/// Choice keywords whose alternatives have properties.
const SHAPES: [&str; 3] = ["anyOf", "oneOf", "allOf"];

/// Keywords that servers refuse at the root of a tool's schema.
const CHOICES: [&str; 5] = ["anyOf", "oneOf", "allOf", "enum", "not"];

/// Whether a schema can be enforced: an object at the root and only keywords that `rule` allows.
pub fn fits(schema: &JsonValue, rule: SchemaRule) -> bool {
    schema.get("type").and_then(JsonValue::as_text) == Some("object") && schema_fits(schema, rule)
}

fn schema_fits(schema: &JsonValue, rule: SchemaRule) -> bool {
    let JsonValue::Object(keywords) = schema else { return false };
    keywords.iter().all(|(keyword, value)| keyword_fits(keyword, value, rule)) && object_fits(schema, rule)
}

fn keyword_fits(keyword: &str, value: &JsonValue, rule: SchemaRule) -> bool {
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
        "anyOf" => value.as_list().is_some_and(|all| all.iter().all(|one| schema_fits(one, rule))),
        "properties" | "$defs" => {
            value.as_object().is_some_and(|all| all.iter().all(|(_, one)| schema_fits(one, rule)))
        }
        _ => false,
    }
}

fn object_fits(schema: &JsonValue, rule: SchemaRule) -> bool {
    let is_object = schema.get("type").is_some_and(names_object) || schema.get("properties").is_some();
    if !is_object {
        return true;
    }
    let Some(JsonValue::Object(properties)) = schema.get("properties") else { return false };
    let closed = schema.get("additionalProperties") == Some(&JsonValue::Bool(false));
    closed && (rule == SchemaRule::Closed || properties.iter().all(|(name, _)| requires(schema, name)))
}

fn names_object(kind: &JsonValue) -> bool {
    kind.as_text() == Some("object")
        || kind.as_list().is_some_and(|kinds| kinds.iter().any(|kind| kind.as_text() == Some("object")))
}

fn requires(schema: &JsonValue, name: &str) -> bool {
    schema
        .get("required")
        .and_then(JsonValue::as_list)
        .is_some_and(|required| required.iter().any(|one| one.as_text() == Some(name)))
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
            let schema = SchemaDocument::from(schema);
            assert_eq!(fits(&schema, SchemaRule::Closed), closed, "{schema}");
            assert_eq!(fits(&schema, SchemaRule::ClosedAndRequired), required, "{schema}");
        }
    }

    /// Input: tools whose arguments have one of several shapes; expected: one shape with the properties of all.
    #[test]
    fn tool_schema_alternatives_are_merged() {
        let of_tool = |schema: &serde_json::Value| of_tool(&schema.into()).into_owned();
        let text = json!({"type": "string"});
        let plain = json!({"type": "object", "properties": {"a": {"anyOf": [text, {"type": "null"}]}}});
        assert_eq!(of_tool(&plain), plain, "a choice further in is one that servers take");
        let shapes = json!([
            {"type": "object", "properties": {"a": text, "b": text}, "required": ["a", "b"]},
            {"properties": {"a": {"type": "number"}, "c": text}},
            {"required": ["c"]},
        ]);
        for choice in ["anyOf", "oneOf", "allOf"] {
            let mut schema = json!({"type": "object", "required": ["d"], "properties": {"d": text}});
            schema[choice] = shapes.clone();
            let members = json!({"a": text, "b": text, "c": text, "d": text});
            let expected = json!({"type": "object", "required": ["d"], "properties": members});
            assert_eq!(of_tool(&schema), expected, "{choice}");
        }
        let bare = json!({"oneOf": shapes, "not": {"required": ["c"]}});
        let expected = json!({"type": "object", "properties": {"a": text, "b": text, "c": text}});
        assert_eq!(of_tool(&bare), expected);
        let elsewhere =
            json!({"type": "object", "oneOf": [{"$ref": "#/$defs/a"}], "$defs": {"a": shapes[0]}});
        assert_eq!(of_tool(&elsewhere), elsewhere, "its members would be lost");
    }
}
