//! The document in OpenAPI 3.0, for generators that read no later version.

use serde_json::{Map, Value, json};

/// Converts a document of version 3.1: what 3.0 has no word for is said with its own words, or left out.
pub(super) fn downgrade(mut document: Value) -> Value {
    document["openapi"] = "3.0.3".into();
    // An identifier of a license is of 3.1.
    document["info"]["license"] = json!({ "name": document["info"]["license"]["name"] });
    convert(&mut document);
    remove_default_answers(&mut document);
    remove_multipart_bodies(&mut document);
    document
}

/// Leaves the answers that are listed by number: a generator that knows a default one takes it for a success, too, and then
/// an operation has answers of two types.
fn remove_default_answers(document: &mut Value) {
    let Some(paths) = document.get_mut("paths").and_then(Value::as_object_mut) else { return };
    for operation in paths.values_mut().filter_map(Value::as_object_mut).flat_map(|item| item.values_mut()) {
        if let Some(responses) = operation["responses"].as_object_mut() {
            responses.remove("default");
        }
    }
}

/// Leaves the body that is one file, where a body of several is possible, too: a generator of 3.0 takes one type of body.
fn remove_multipart_bodies(document: &mut Value) {
    let Some(paths) = document.get_mut("paths").and_then(Value::as_object_mut) else { return };
    for operation in paths.values_mut().filter_map(Value::as_object_mut).flat_map(|item| item.values_mut()) {
        let content = operation.get_mut("requestBody").and_then(|body| body.get_mut("content"));
        if let Some(types) = content.and_then(Value::as_object_mut)
            && types.len() > 1
        {
            types.remove("multipart/form-data");
        }
    }
}

/// Converts every schema in a value.
fn convert(value: &mut Value) {
    match value {
        Value::Object(members) => {
            members.values_mut().for_each(convert);
            convert_types(members);
            convert_null_alternative(members);
            // The names of the members of an object are texts in any case.
            members.remove("propertyNames");
            if let Some(constant) = members.remove("const") {
                members.insert("enum".to_owned(), json!([constant]));
            }
            // Beside a reference nothing else counts.
            if members.contains_key("$ref") && members.len() > 1 {
                members.retain(|name, _| name == "$ref");
            }
        }
        Value::Array(items) => items.iter_mut().for_each(convert),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// A list of types becomes one type that may be null, or any type.
fn convert_types(members: &mut Map<String, Value>) {
    let Some(types) = members.get("type").and_then(Value::as_array) else { return };
    let others: Vec<Value> = types.iter().filter(|name| *name != "null").cloned().collect();
    let is_nullable = others.len() < types.len();
    match <[Value; 1]>::try_from(others) {
        Ok([only]) => {
            members.insert("type".to_owned(), only);
            if is_nullable {
                members.insert("nullable".to_owned(), true.into());
            }
        }
        // Without a type, null is among the values.
        Err(_) => drop(members.remove("type")),
    }
}

/// One alternative or null becomes that alternative, which may be null.
fn convert_null_alternative(members: &mut Map<String, Value>) {
    let Some(alternatives) = members.get("oneOf").and_then(Value::as_array) else { return };
    let others: Vec<Value> = alternatives.iter().filter(|one| one["type"] != "null").cloned().collect();
    if others.len() == alternatives.len() {
        return;
    }
    // `nullable` counts only beside a type; such alternatives are objects.
    members.insert("type".to_owned(), "object".into());
    members.insert("nullable".to_owned(), true.into());
    let name = if others.len() == 1 { "allOf" } else { "oneOf" };
    members.remove("oneOf");
    members.insert(name.to_owned(), others.into());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn null_is_said_in_words_of_the_earlier_version() {
        let document = json!({
            "openapi": "3.1.0", "info": { "license": { "name": "MIT", "identifier": "MIT" } },
            "a": { "type": ["string", "null"], "const": "x", "propertyNames": { "type": "string" } },
            "b": { "oneOf": [{ "$ref": "#/x", "description": "It." }, { "type": "null" }] },
            "c": { "type": ["string", "integer"] },
        });
        let expected = json!({
            "openapi": "3.0.3", "info": { "license": { "name": "MIT" } },
            "a": { "type": "string", "nullable": true, "enum": ["x"] },
            "b": { "type": "object", "allOf": [{ "$ref": "#/x" }], "nullable": true },
            "c": {},
        });
        assert_eq!(downgrade(document), expected);
    }

    /// Input: an operation with a body that is one file or several parts; expected: the one that is one file stays.
    #[test]
    fn body_of_one_file_stays() {
        let content = json!({ "application/octet-stream": {}, "multipart/form-data": {} });
        let mut document =
            json!({ "paths": { "/files": { "post": { "requestBody": { "content": content } } } } });
        remove_multipart_bodies(&mut document);
        let left = &document["paths"]["/files"]["post"]["requestBody"]["content"];
        assert_eq!(left, &json!({ "application/octet-stream": {} }));
    }
}
