//! Where a schema has other schemas: everything else in it is data.

use serde_json::{Map, Value};

/// Keywords whose value is a schema.
const SCHEMA: [&str; 11] = [
    "not",
    "if",
    "then",
    "else",
    "contains",
    "additionalProperties",
    "propertyNames",
    "unevaluatedProperties",
    "unevaluatedItems",
    "additionalItems",
    "contentSchema",
];
/// Keywords whose value is a list of schemas.
const LIST: [&str; 4] = ["allOf", "anyOf", "oneOf", "prefixItems"];
/// Keywords whose value has a schema for each name.
const NAMED: [&str; 6] =
    ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies"];

/// How a keyword holds schemas.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum SchemaHolder {
    Itself,
    Items,
    Members,
}

/// What the value of a keyword is, if it may hold schemas.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ContainerKind {
    Object,
    List,
}

/// How a keyword holds schemas in such a value; `None` if it holds none.
pub(super) fn holder_of(keyword: &str, container: ContainerKind) -> Option<SchemaHolder> {
    match container {
        ContainerKind::Object if NAMED.contains(&keyword) => Some(SchemaHolder::Members),
        ContainerKind::Object if SCHEMA.contains(&keyword) || keyword == "items" => {
            Some(SchemaHolder::Itself)
        }
        ContainerKind::List if LIST.contains(&keyword) || keyword == "items" => Some(SchemaHolder::Items),
        ContainerKind::Object | ContainerKind::List => None,
    }
}

fn holder(keyword: &str, value: &Value) -> Option<SchemaHolder> {
    match value {
        Value::Object(_) => holder_of(keyword, ContainerKind::Object),
        Value::Array(_) => holder_of(keyword, ContainerKind::List),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
    }
}

/// Calls `change` for each schema directly within one, with the JSON pointer from it.
pub(super) fn change_each_below(
    schema: &mut Map<String, Value>,
    mut change: impl FnMut(String, &mut Map<String, Value>),
) {
    for (keyword, value) in schema.iter_mut() {
        let Some(holder) = holder(keyword, value) else { continue };
        let at = pointer_step(keyword);
        match (holder, value) {
            (SchemaHolder::Itself, Value::Object(inner)) => change(at, inner),
            (SchemaHolder::Items, Value::Array(items)) => {
                for (index, item) in items.iter_mut().enumerate() {
                    if let Value::Object(inner) = item {
                        change(format!("{at}/{index}"), inner);
                    }
                }
            }
            (SchemaHolder::Members, Value::Object(members)) => {
                for (name, member) in members.iter_mut() {
                    if let Value::Object(inner) = member {
                        change(format!("{at}{}", pointer_step(name)), inner);
                    }
                }
            }
            _ => {}
        }
    }
}

/// Calls `visit` for each schema directly within one, with the keyword that holds it and its name there, if it has one.
pub(super) fn each_below<'a>(
    schema: &'a Map<String, Value>,
    mut visit: impl FnMut(&'a str, Option<&'a str>, &'a Value),
) {
    for (keyword, value) in schema {
        match (holder(keyword, value), value) {
            (Some(SchemaHolder::Itself), part) => visit(keyword, None, part),
            (Some(SchemaHolder::Items), Value::Array(items)) => {
                items.iter().for_each(|part| visit(keyword, None, part));
            }
            (Some(SchemaHolder::Members), Value::Object(members)) => {
                members.iter().for_each(|(name, part)| visit(keyword, Some(name), part));
            }
            _ => {}
        }
    }
}

/// One step of a JSON pointer in a fragment: its escapes, and those of a URI.
fn pointer_step(name: &str) -> String {
    let mut step = "/".to_owned();
    for byte in name.bytes() {
        match byte {
            b'~' => step.push_str("~0"),
            b'/' => step.push_str("~1"),
            b'-' | b'.' | b'_' | b'$' => step.push(char::from(byte)),
            byte if byte.is_ascii_alphanumeric() => step.push(char::from(byte)),
            byte => step.push_str(&format!("%{byte:02X}")),
        }
    }
    step
}
