//! Arguments of a command in words, from their JSON Schema.

use serde_json::{Map, Value};

/// How deep arguments are described; what is deeper is called by its type only.
const DEPTH_MAX: usize = 5;

/// One line per argument, required ones first.
pub(super) fn text(schema: &Value) -> String {
    let lines = members(schema, 0);
    if lines.is_empty() { "No arguments.".to_owned() } else { format!("Arguments:\n{}", lines.join("\n")) }
}

fn members(schema: &Value, depth: usize) -> Vec<String> {
    let Some(Value::Object(properties)) = schema.get("properties") else { return Vec::new() };
    if depth == DEPTH_MAX {
        return Vec::new();
    }
    let required: Vec<&str> =
        schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let (first, then): (Vec<_>, Vec<_>) =
        properties.iter().partition(|(name, _)| required.contains(&name.as_str()));
    let describe =
        |is_required| move |(name, argument): (&String, &Value)| member(name, argument, is_required, depth);
    first.into_iter().flat_map(describe(true)).chain(then.into_iter().flat_map(describe(false))).collect()
}

fn member(name: &str, argument: &Value, is_required: bool, depth: usize) -> Vec<String> {
    let mut about = vec![kind(argument)];
    about.extend(bounds(argument));
    if is_required {
        about.push("required".to_owned());
    }
    if let Some(default) = argument.get("default").filter(|default| !default.is_null()) {
        about.push(format!("default {default}"));
    }
    let says =
        argument["description"].as_str().map(|text| format!(": {}", one_line(text))).unwrap_or_default();
    let mut lines = vec![format!("{}- {name} ({}){says}", "  ".repeat(depth), about.join(", "))];
    for inner in shapes(argument) {
        lines.extend(members(inner, depth + 1));
    }
    lines
}

/// The type in words.
fn kind(schema: &Value) -> String {
    if let Some(values) = schema["enum"].as_array() {
        let values: Vec<String> = values.iter().map(Value::to_string).collect();
        return format!("one of {}", values.join(", "));
    }
    if let Some(value) = schema.get("const") {
        return value.to_string();
    }
    if let Some(variants) = variants(schema) {
        let mut kinds: Vec<String> = variants.iter().map(kind).filter(|kind| kind != "null").collect();
        kinds.dedup();
        return kinds.join(" or ");
    }
    match &schema["type"] {
        Value::String(name) => word(name, schema),
        Value::Array(names) => {
            let names = names.iter().filter_map(Value::as_str).filter(|name| *name != "null");
            names.map(|name| word(name, schema)).collect::<Vec<_>>().join(" or ")
        }
        _ => "any value".to_owned(),
    }
}

fn word(name: &str, schema: &Value) -> String {
    match name {
        "boolean" => "true or false".to_owned(),
        "array" => match schema.get("items") {
            Some(items) => format!("list of: {}", kind(items)),
            None => "list".to_owned(),
        },
        "string" => match schema["format"].as_str() {
            Some(format) => format!("string, {format}"),
            None => "string".to_owned(),
        },
        other => other.to_owned(),
    }
}

/// How small and how large.
fn bounds(schema: &Value) -> Vec<String> {
    let sides = [
        ("minimum", "", "or more"),
        ("maximum", "", "or less"),
        ("minLength", "characters ", "or more"),
        ("maxLength", "characters ", "or less"),
        ("minItems", "items ", "or more"),
        ("maxItems", "items ", "or less"),
    ];
    let mut bounds: Vec<String> = sides
        .into_iter()
        .filter_map(|(keyword, unit, side)| schema.get(keyword).map(|bound| format!("{bound} {unit}{side}")))
        .collect();
    bounds.extend(schema["pattern"].as_str().map(|pattern| format!("pattern {pattern}")));
    bounds
}

/// The schemas whose members are described below an argument: its own, its items', its variants'.
fn shapes(schema: &Value) -> Vec<&Value> {
    let mut shapes = vec![schema];
    shapes.extend(schema.get("items"));
    shapes.extend(variants(schema).into_iter().flatten());
    shapes.into_iter().filter(|shape| shape.get("properties").is_some_and(Value::is_object)).collect()
}

fn variants(schema: &Value) -> Option<&Vec<Value>> {
    let keywords: &Map<String, Value> = schema.as_object()?;
    keywords.get("anyOf").or_else(|| keywords.get("oneOf"))?.as_array()
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
