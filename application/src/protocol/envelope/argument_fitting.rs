//! Converts arguments to their own schema after a server enforced a different one.
//!
//! Providers enforce less than JSON Schema can express: they may require every argument, so that an omitted one
//! is `null`, and take an object with arbitrary member names as text. Both are undone here, only where the schema
//! itself would refuse the value. Pure.

use std::borrow::Cow;

use entracte_domain::value::JsonValue;

use crate::json_value;

/// The object, or the object in a JSON text.
pub(super) fn as_object(value: &JsonValue) -> Option<Cow<'_, JsonValue>> {
    match value {
        JsonValue::Object(_) => Some(Cow::Borrowed(value)),
        JsonValue::Text(text) => {
            json_value::parse(text).ok().filter(|held| held.as_object().is_some()).map(Cow::Owned)
        }
        JsonValue::Null | JsonValue::Bool(_) | JsonValue::Number(_) | JsonValue::List(_) => None,
    }
}

/// The arguments converted to the command's schema.
pub(crate) fn fit_arguments(value: JsonValue, schema: &JsonValue) -> JsonValue {
    match value {
        JsonValue::Object(members) => {
            let properties = schema.get("properties");
            let of = |name: &str| properties.and_then(|all| all.get(name));
            let kept = members.into_iter().filter_map(|(name, value)| match of(&name) {
                Some(property) if value == JsonValue::Null && is_left_out(&name, property, schema) => None,
                Some(property) => Some((name, fit_arguments(value, property))),
                None => Some((name, value)),
            });
            JsonValue::Object(kept.collect())
        }
        JsonValue::List(items) => match schema.get("items") {
            Some(of_each) => {
                JsonValue::List(items.into_iter().map(|item| fit_arguments(item, of_each)).collect())
            }
            None => JsonValue::List(items),
        },
        JsonValue::Text(_) if takes(schema, "object") && !takes(schema, "string") => {
            match as_object(&value) {
                Some(held) => fit_arguments(held.into_owned(), schema),
                None => value,
            }
        }
        plain @ (JsonValue::Null | JsonValue::Bool(_) | JsonValue::Number(_) | JsonValue::Text(_)) => plain,
    }
}

/// Whether `null` can only mean that an argument is absent.
fn is_left_out(name: &str, property: &JsonValue, schema: &JsonValue) -> bool {
    let required = schema.get("required").and_then(JsonValue::as_list);
    let is_required = required.is_some_and(|all| all.iter().any(|one| one.as_text() == Some(name)));
    let says_type = property.get("type").is_some() || property.get("enum").is_some();
    let lists_null =
        property.get("enum").and_then(JsonValue::as_list).is_some_and(|all| all.contains(&JsonValue::Null));
    !is_required && says_type && !lists_null && !takes(property, "null")
}

/// Whether a schema allows this type.
fn takes(schema: &JsonValue, kind: &str) -> bool {
    match schema.get("type") {
        Some(JsonValue::Text(only)) => only == kind,
        Some(JsonValue::List(kinds)) => kinds.iter().any(|one| one.as_text() == Some(kind)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn fits(arguments: &str, expected: &str) {
        let schema = json!({"type": "object", "required": ["must"], "properties": {
            "must": {"type": "string"},
            "may": {"type": "string"},
            "none": {"type": ["string", "null"]},
            "any": {},
            "entries": {"type": "array", "items": {"type": "object", "properties": {
                "data": {"type": "object"}, "note": {"enum": ["a", "b"]},
            }}},
        }});
        let read = |text: &str| json_value::parse(text).unwrap();
        let schema = json_value::from_serde(&schema);
        assert_eq!(fit_arguments(read(arguments), &schema), read(expected), "{arguments}");
    }

    #[test]
    fn null_is_omitted_unless_schema_allows_it() {
        fits(r#"{"must":"x","may":null}"#, r#"{"must":"x"}"#);
        fits(r#"{"must":null,"none":null,"any":null}"#, r#"{"must":null,"none":null,"any":null}"#);
        fits(r#"{"entries":[{"note":null}]}"#, r#"{"entries":[{}]}"#);
    }

    #[test]
    fn object_in_text_is_parsed_where_required() {
        fits(r#"{"entries":[{"data":"{\"value\":72.50}"}]}"#, r#"{"entries":[{"data":{"value":72.50}}]}"#);
        fits(r#"{"may":"{}","any":"{}"}"#, r#"{"may":"{}","any":"{}"}"#);
        fits(r#"{"entries":[{"data":"no"}]}"#, r#"{"entries":[{"data":"no"}]}"#);
    }
}
