//! Describes the arguments of a command in words, from their JSON Schema.

use entracte_domain::value::JsonValue;

use super::types::{list_of, shape, text_of, texts_in};
use crate::json_value::to_text;
use crate::texts::{LocalizedTexts, say};

/// Maximum depth of the description; deeper values are described by their type only.
const DEPTH_MAX: usize = 5;

/// One line per argument, required ones first.
pub(super) fn text(texts: &LocalizedTexts, schema: &JsonValue) -> String {
    let lines = members(texts, schema, 0);
    if lines.is_empty() {
        return say!(texts, "prompt-arguments-none");
    }
    format!("{}\n{}", say!(texts, "prompt-arguments-title"), lines.join("\n"))
}

/// The arguments on one line in the format of tool types: `{tool_id: string, name?: string}`.
pub(super) fn in_one_line(texts: &LocalizedTexts, schema: &JsonValue) -> String {
    let properties = schema.get("properties").and_then(JsonValue::as_object);
    if properties.is_none_or(<[_]>::is_empty) {
        return say!(texts, "prompt-arguments-none");
    }
    format!("{} {}", say!(texts, "prompt-arguments-title"), shape(schema, 0))
}

fn members(texts: &LocalizedTexts, schema: &JsonValue, depth: usize) -> Vec<String> {
    let Some(JsonValue::Object(properties)) = schema.get("properties") else { return Vec::new() };
    if depth == DEPTH_MAX {
        return Vec::new();
    }
    let required = texts_in(schema, "required");
    let (first, then): (Vec<_>, Vec<_>) =
        properties.iter().partition(|(name, _)| required.contains(&name.as_str()));
    let describe = |is_required| {
        move |(name, argument): &(String, JsonValue)| member(texts, name, argument, is_required, depth)
    };
    first.into_iter().flat_map(describe(true)).chain(then.into_iter().flat_map(describe(false))).collect()
}

fn member(
    texts: &LocalizedTexts,
    name: &str,
    argument: &JsonValue,
    is_required: bool,
    depth: usize,
) -> Vec<String> {
    let about = about(texts, argument, is_required);
    let line = match text_of(argument, "description").map(one_line) {
        Some(says) => say!(texts, "prompt-argument-line-says", name = name, about = about, says = says),
        None => say!(texts, "prompt-argument-line", name = name, about = about),
    };
    let mut lines = vec![format!("{}{line}", "  ".repeat(depth))];
    for inner in shapes(argument) {
        lines.extend(members(texts, inner, depth + 1));
    }
    lines
}

/// Type, bounds, requiredness and default of an argument.
fn about(texts: &LocalizedTexts, argument: &JsonValue, is_required: bool) -> String {
    let mut about = vec![kind(texts, argument)];
    about.extend(bounds(texts, argument));
    if is_required {
        about.push(say!(texts, "prompt-argument-required"));
    }
    if let Some(default) = argument.get("default").filter(|default| **default != JsonValue::Null) {
        about.push(say!(texts, "prompt-argument-default", value = to_text(default)));
    }
    about.join(", ")
}

/// The type in words.
fn kind(texts: &LocalizedTexts, schema: &JsonValue) -> String {
    if let Some(values) = list_of(schema, "enum") {
        let values: Vec<String> = values.iter().map(to_text).collect();
        return say!(texts, "prompt-argument-one-of", values = values.join(", "));
    }
    if let Some(value) = schema.get("const") {
        return to_text(value);
    }
    if let Some(variants) = variants(schema) {
        let mut kinds: Vec<String> =
            variants.iter().filter(|variant| !is_null(variant)).map(|variant| kind(texts, variant)).collect();
        kinds.dedup();
        return any_of(texts, kinds);
    }
    match schema.get("type") {
        Some(JsonValue::Text(name)) => word(texts, name, schema),
        Some(JsonValue::List(names)) => {
            let names = names.iter().filter_map(JsonValue::as_text).filter(|name| *name != "null");
            any_of(texts, names.map(|name| word(texts, name, schema)).collect())
        }
        _ => say!(texts, "prompt-argument-any"),
    }
}

/// Whether a schema allows only null: an optional argument implies it.
fn is_null(schema: &JsonValue) -> bool {
    text_of(schema, "type") == Some("null") || schema.get("const") == Some(&JsonValue::Null)
}

fn any_of(texts: &LocalizedTexts, kinds: Vec<String>) -> String {
    let join =
        |first: String, second: String| say!(texts, "prompt-argument-or", first = first, second = second);
    kinds.into_iter().reduce(join).unwrap_or_default()
}

fn word(texts: &LocalizedTexts, name: &str, schema: &JsonValue) -> String {
    match name {
        "boolean" => say!(texts, "prompt-argument-boolean"),
        "array" => match schema.get("items") {
            Some(items) => say!(texts, "prompt-argument-list-of", kind = kind(texts, items)),
            None => say!(texts, "prompt-argument-list"),
        },
        "string" => match text_of(schema, "format") {
            Some(format) => say!(texts, "prompt-argument-string-format", format = format),
            None => say!(texts, "prompt-argument-string"),
        },
        "number" => say!(texts, "prompt-argument-number"),
        "integer" => say!(texts, "prompt-argument-integer"),
        "object" => say!(texts, "prompt-argument-object"),
        other => other.to_owned(),
    }
}

/// The minimum and maximum in words.
fn bounds(texts: &LocalizedTexts, schema: &JsonValue) -> Vec<String> {
    let sides = [
        ("minimum", "prompt-argument-minimum"),
        ("maximum", "prompt-argument-maximum"),
        ("minLength", "prompt-argument-min-length"),
        ("maxLength", "prompt-argument-max-length"),
        ("minItems", "prompt-argument-min-items"),
        ("maxItems", "prompt-argument-max-items"),
    ];
    let mut bounds: Vec<String> = sides
        .into_iter()
        .filter_map(|(keyword, key)| schema.get(keyword).map(|bound| bounded(texts, key, bound)))
        .collect();
    let pattern = text_of(schema, "pattern");
    bounds.extend(pattern.map(|pattern| say!(texts, "prompt-argument-pattern", pattern = pattern)));
    bounds
}

/// Small integer bounds select the plural; others are shown as written.
fn bounded(texts: &LocalizedTexts, key: &str, bound: &JsonValue) -> String {
    let text = to_text(bound);
    match text.parse::<u32>() {
        Ok(bound) => say!(texts, key, bound = bound),
        Err(_) => say!(texts, key, bound = text),
    }
}

/// The schemas whose members are described below an argument: its own, its items' and its variants'.
fn shapes(schema: &JsonValue) -> Vec<&JsonValue> {
    let mut shapes = vec![schema];
    shapes.extend(schema.get("items"));
    shapes.extend(variants(schema).into_iter().flatten());
    let has_members = |shape: &&JsonValue| matches!(shape.get("properties"), Some(JsonValue::Object(_)));
    shapes.into_iter().filter(has_members).collect()
}

fn variants(schema: &JsonValue) -> Option<&[JsonValue]> {
    schema.get("anyOf").or_else(|| schema.get("oneOf"))?.as_list()
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
