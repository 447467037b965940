//! Checks which JSON Schemas a provider can enforce.
//!
//! Providers compile a subset of JSON Schema and answer 400 to everything else, for every call of the session. So the
//! check is strict on purpose: an unknown keyword makes a schema unfit, and the answer's shape is then only described
//! in the prompt.

use std::borrow::Cow;

use serde_json::{Map, Value};

/// Requirements of a provider for an enforced schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SchemaRule {
    /// Every object lists all its properties and allows no others (Claude).
    Closed,
    /// Every object also requires all of its properties (OpenAI strict).
    ClosedAndRequired,
}

/// The schema without `$schema`, the draft keyword, which no provider needs.
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

/// The schema of a tool's arguments in a form that servers accept: without a choice of shapes at its root. The
/// properties of all shapes are merged there; the arguments are checked against the original schema anyway.
pub(crate) fn of_tool(schema: &Value) -> Cow<'_, Value> {
    let chooses = |keywords: &&Map<String, Value>| CHOICES.iter().any(|name| keywords.contains_key(*name));
    // Properties nested elsewhere would be lost, so the schema is sent unchanged and the server decides.
    let Some(keywords) = schema.as_object().filter(chooses).filter(|keywords| shows_members(keywords)) else {
        return Cow::Borrowed(schema);
    };
    let (mut plain, mut members) = (keywords.clone(), Map::new());
    for choice in CHOICES {
        let shapes = plain.remove(choice);
        for shape in shapes.iter().filter_map(Value::as_array).flatten() {
            for (name, member) in shape.get("properties").and_then(Value::as_object).into_iter().flatten() {
                members.entry(name.clone()).or_insert_with(|| member.clone());
            }
        }
    }
    let own = plain.entry("properties").or_insert_with(|| Value::Object(Map::new()));
    for (name, member) in members {
        if let Value::Object(own) = &mut *own {
            own.entry(name).or_insert(member);
        }
    }
    plain.insert("type".to_owned(), "object".into());
    Cow::Owned(Value::Object(plain))
}

/// Whether each alternative lists its properties directly and has no further alternatives.
fn shows_members(keywords: &Map<String, Value>) -> bool {
    let is_plain = |shape: &Value| {
        let says = |name: &str| shape.get(name).is_some();
        !says("$ref") && !SHAPES.iter().any(|name| says(name))
    };
    SHAPES.iter().filter_map(|name| keywords.get(*name)?.as_array()).flatten().all(is_plain)
}

/// Choice keywords whose alternatives have properties.
const SHAPES: [&str; 3] = ["anyOf", "oneOf", "allOf"];

/// Keywords that servers refuse at the root of a tool's schema.
const CHOICES: [&str; 5] = ["anyOf", "oneOf", "allOf", "enum", "not"];

/// Whether a schema can be enforced: an object at the root and only keywords that `rule` allows.
pub fn fits(schema: &Value, rule: SchemaRule) -> bool {
    schema.get("type").and_then(Value::as_str) == Some("object") && schema_fits(schema, rule)
}

fn schema_fits(schema: &Value, rule: SchemaRule) -> bool {
    let Value::Object(keywords) = schema else { return false };
    keywords.iter().all(|(keyword, value)| keyword_fits(keyword, value, rule)) && object_fits(keywords, rule)
}

fn keyword_fits(keyword: &str, value: &Value, rule: SchemaRule) -> bool {
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

fn object_fits(keywords: &Map<String, Value>, rule: SchemaRule) -> bool {
    let is_object = keywords.get("type").is_some_and(names_object) || keywords.contains_key("properties");
    if !is_object {
        return true;
    }
    let Some(Value::Object(properties)) = keywords.get("properties") else { return false };
    let closed = keywords.get("additionalProperties") == Some(&Value::Bool(false));
    closed && (rule == SchemaRule::Closed || properties.keys().all(|name| requires(keywords, name)))
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
            assert_eq!(fits(&schema, SchemaRule::Closed), closed, "{schema}");
            assert_eq!(fits(&schema, SchemaRule::ClosedAndRequired), required, "{schema}");
        }
    }

    /// Input: tools whose arguments have one of several shapes; expected: one shape with the properties of all.
    #[test]
    fn tool_schema_alternatives_are_merged() {
        let text = json!({"type": "string"});
        let plain = json!({"type": "object", "properties": {"a": {"anyOf": [text, {"type": "null"}]}}});
        assert_eq!(*of_tool(&plain), plain, "a choice further in is one that servers take");
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
            assert_eq!(*of_tool(&schema), expected, "{choice}");
        }
        let bare = json!({"oneOf": shapes, "not": {"required": ["c"]}});
        let expected = json!({"type": "object", "properties": {"a": text, "b": text, "c": text}});
        assert_eq!(*of_tool(&bare), expected);
        let elsewhere =
            json!({"type": "object", "oneOf": [{"$ref": "#/$defs/a"}], "$defs": {"a": shapes[0]}});
        assert_eq!(*of_tool(&elsewhere), elsewhere, "its members would be lost");
    }
}
