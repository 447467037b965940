//! Makes the schemas of the document plain enough for generators of clients: no `allOf`, named alternatives with a
//! discriminator, items of pages as references.

use serde_json::{Map, Value, json};

/// The prefix of a reference to a schema of the document.
const PREFIX: &str = "#/components/schemas/";

/// Simplifies all schemas of a document.
pub(super) fn simplify_schemas(document: &mut Value) {
    let Some(schemas) = document["components"]["schemas"].as_object_mut() else { return };
    name_page_items(schemas);
    for name in schemas.keys().cloned().collect::<Vec<_>>() {
        let Some(schema) = schemas.get(&name) else { continue };
        let flat = flatten(schema, schemas);
        let schema = name_alternatives(&name, flat, schemas);
        schemas.insert(name, schema);
    }
}

/// The items of a page refer to their schema; in the document of the routes each page holds a copy.
fn name_page_items(schemas: &mut Map<String, Value>) {
    let pages =
        schemas.keys().filter_map(|name| Some((name.clone(), name.strip_prefix("Page_")?.to_owned())));
    for (page, item) in pages.collect::<Vec<_>>() {
        let Some(items) = schemas.get_mut(&page).map(|page| &mut page["properties"]["items"]["items"]) else {
            continue;
        };
        let copy = std::mem::replace(items, json!({ "$ref": format!("{PREFIX}{item}") }));
        schemas.entry(item).or_insert(copy);
    }
}

/// The schema that a reference leads to; the schema itself if it is none.
fn resolve<'a>(schema: &'a Value, schemas: &'a Map<String, Value>) -> &'a Value {
    let name = schema["$ref"].as_str().and_then(|reference| reference.strip_prefix(PREFIX));
    name.and_then(|name| schemas.get(name)).map_or(schema, |found| resolve(found, schemas))
}

/// The schema with its `allOf` merged into one object, or into one for each alternative of a part.
fn flatten(schema: &Value, schemas: &Map<String, Value>) -> Value {
    let mut flat = schema.clone();
    if let Some(alternatives) = flat.get_mut("oneOf").and_then(Value::as_array_mut) {
        for alternative in alternatives {
            *alternative = flatten(alternative, schemas);
        }
    }
    let Some(parts) = schema["allOf"].as_array() else { return flat };
    let mut alternatives = vec![json!({ "type": "object", "properties": {}, "required": [] })];
    for part in parts {
        let part = flatten(resolve(part, schemas), schemas);
        let options = part["oneOf"].as_array().cloned().unwrap_or_else(|| vec![part]);
        let options: Vec<Value> =
            options.iter().map(|option| flatten(resolve(option, schemas), schemas)).collect();
        alternatives = alternatives
            .iter()
            .flat_map(|before| options.iter().map(|option| merge(before, option)))
            .collect();
    }
    let mut merged = match <[Value; 1]>::try_from(alternatives) {
        Ok([only]) => only,
        Err(alternatives) => json!({ "oneOf": alternatives }),
    };
    if let Some(description) = schema.get("description") {
        merged["description"] = description.clone();
    }
    merged
}

/// An object with the members of both; the second one describes it.
fn merge(first: &Value, second: &Value) -> Value {
    let mut merged = first.clone();
    for (name, property) in second["properties"].as_object().into_iter().flatten() {
        merged["properties"][name] = property.clone();
    }
    let required =
        [&first["required"], &second["required"]].into_iter().filter_map(Value::as_array).flatten();
    let mut names: Vec<Value> = Vec::new();
    for name in required {
        if !names.contains(name) {
            names.push(name.clone());
        }
    }
    merged["required"] = names.into();
    if let Some(description) = second.get("description") {
        merged["description"] = description.clone();
    }
    merged
}

/// Gives each alternative of a schema a name of its own, and the schema a discriminator, if one member tells them apart.
fn name_alternatives(name: &str, mut schema: Value, schemas: &mut Map<String, Value>) -> Value {
    let Some(alternatives) = schema["oneOf"].as_array().cloned() else { return schema };
    let Some(property) = discriminating_property(&alternatives, schemas) else { return schema };
    let (mut references, mut mapping) = (Vec::new(), Map::new());
    for alternative in alternatives {
        let word = only_value(resolve(&alternative, schemas), &property).unwrap_or_default();
        let reference = match alternative["$ref"].as_str() {
            Some(reference) => reference.to_owned(),
            None => {
                let own = format!("{}{}", name.trim_end_matches("Shape"), pascal_case(&word));
                schemas.insert(own.clone(), alternative);
                format!("{PREFIX}{own}")
            }
        };
        references.push(json!({ "$ref": reference }));
        mapping.insert(word, reference.into());
    }
    schema["oneOf"] = references.into();
    schema["discriminator"] = json!({ "propertyName": property, "mapping": mapping });
    schema
}

/// The required property that has one value in each alternative.
fn discriminating_property(alternatives: &[Value], schemas: &Map<String, Value>) -> Option<String> {
    let alternatives: Vec<&Value> =
        alternatives.iter().map(|alternative| resolve(alternative, schemas)).collect();
    let first = alternatives.first()?["properties"].as_object()?;
    first.keys().find(|name| alternatives.iter().all(|one| only_value(one, name).is_some())).cloned()
}

/// The only value of a required property of an object.
fn only_value(object: &Value, property: &str) -> Option<String> {
    let is_required = object["required"].as_array()?.iter().any(|name| name == property);
    match object["properties"][property]["enum"].as_array()?.as_slice() {
        [value] if is_required => value.as_str().map(str::to_owned),
        _ => None,
    }
}

fn pascal_case(word: &str) -> String {
    let parts = word.split(|letter: char| !letter.is_ascii_alphanumeric());
    let parts = parts.filter_map(|part| {
        let first = part.get(..1)?;
        Some(first.to_ascii_uppercase() + part.get(1..)?)
    });
    parts.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Input: a page with a copy of its item, and an object that extends one of two alternatives; expected: a reference,
    /// and two named objects that a member tells apart.
    #[test]
    fn schemas_become_plain_objects_with_names() {
        let alternative = |word: &str| {
            let kind = json!({ "type": "string", "enum": [word] });
            json!({ "type": "object", "properties": { "decision": kind }, "required": ["decision"] })
        };
        let base = json!({ "oneOf": [alternative("approve"), alternative("not_now")] });
        let own = json!({ "type": "object", "properties": { "digest": {} }, "required": ["digest"] });
        let extended =
            json!({ "allOf": [{ "$ref": format!("{PREFIX}DecisionShape") }, own], "description": "One." });
        let page = json!({ "properties": { "items": { "type": "array", "items": { "type": "string" } } } });
        let mut document = json!({ "components": { "schemas": {
            "CardShape": extended, "DecisionShape": base, "Page_Word": page,
        } } });
        simplify_schemas(&mut document);
        let schemas = &document["components"]["schemas"];
        assert_eq!(schemas["Page_Word"]["properties"]["items"]["items"]["$ref"], format!("{PREFIX}Word"));
        assert_eq!(schemas["Word"], json!({ "type": "string" }));
        assert_eq!(schemas["CardShape"]["discriminator"]["propertyName"], "decision");
        assert_eq!(schemas["CardShape"]["oneOf"][1]["$ref"], format!("{PREFIX}CardNotNow"));
        assert_eq!(schemas["CardNotNow"]["required"], json!(["decision", "digest"]));
        assert_eq!(schemas["CardShape"]["description"], "One.");
        assert_eq!(
            schemas["DecisionShape"]["discriminator"]["mapping"]["approve"],
            format!("{PREFIX}DecisionApprove")
        );
    }
}
