//! Parts of a body, read or refused.

use serde_json::{Map, Value};

use super::{Refusal, Rule};

pub(super) type Object = Map<String, Value>;

pub(super) fn refuse<T>(rule: Rule, why: impl Into<String>) -> Result<T, Refusal> {
    Err(Refusal::new(rule, why))
}

pub(super) fn ensure(holds: bool, rule: Rule, why: impl Into<String>) -> Result<(), Refusal> {
    if holds { Ok(()) } else { refuse(rule, why) }
}

/// An object with these fields and no other.
pub(super) fn object<'a>(value: &'a Value, what: &str, known: &[&str]) -> Result<&'a Object, Refusal> {
    let Some(object) = value.as_object() else {
        return refuse(Rule::Shape, format!("{what} is no object: {value}"));
    };
    match object.keys().find(|key| !known.contains(&key.as_str())) {
        Some(key) => refuse(Rule::UnknownField, format!("{what} has “{key}”")),
        None => Ok(object),
    }
}

/// A text; an absent one is refused.
pub(super) fn text<'a>(object: &'a Object, field: &str) -> Result<&'a str, Refusal> {
    match object.get(field).and_then(Value::as_str) {
        Some(text) => Ok(text),
        None => refuse(Rule::Shape, format!("“{field}” is not text: {:?}", object.get(field))),
    }
}

/// A list with something in it.
pub(super) fn list<'a>(value: Option<&'a Value>, what: &str) -> Result<&'a [Value], Refusal> {
    match value.and_then(Value::as_array) {
        Some(list) if !list.is_empty() => Ok(list),
        _ => refuse(Rule::Shape, format!("{what} is no list with something in it: {value:?}")),
    }
}

/// Something to read.
pub(super) fn readable(text: &str, what: &str) -> Result<(), Refusal> {
    ensure(!text.trim().is_empty(), Rule::EmptyText, format!("{what}: {text:?}"))
}

/// `^[a-zA-Z0-9_-]{1,64}$`
pub(super) fn is_word(text: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    (1..=64).contains(&text.len()) && text.bytes().all(fits)
}

/// The names of the declared tools, each once.
pub(super) fn names<'a>(names: impl Iterator<Item = &'a str>) -> Result<usize, Refusal> {
    let mut seen: Vec<&str> = Vec::new();
    for name in names {
        ensure(is_word(name), Rule::NameShape, name)?;
        ensure(!seen.contains(&name), Rule::NameTwice, name)?;
        seen.push(name);
    }
    Ok(seen.len())
}

/// A schema of arguments: an object's.
pub(super) fn schema(schema: Option<&Value>) -> Result<(), Refusal> {
    let is_object = schema.is_some_and(|schema| schema["type"] == "object");
    ensure(is_object, Rule::Schema, format!("{schema:?}"))
}

/// How strictly the schema of an answer is compiled.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Compiles {
    /// Closed objects; few optional members and few unions.
    Claude,
    /// Closed objects, each member required, each value with a type.
    OpenAi,
}

/// The schema of an answer, as a server compiles it.
pub(super) fn output_schema(schema: &Value, how: Compiles) -> Result<(), Refusal> {
    let (mut optional, mut unions) = (0, 0);
    ensure(schema["type"] == "object", Rule::OutputSchema, "the answer is no object")?;
    compile(schema, how, &mut optional, &mut unions)?;
    let is_small = how != Compiles::Claude || optional <= 24 && unions <= 16;
    ensure(is_small, Rule::OutputSchema, format!("{optional} optional members, {unions} unions"))
}

fn compile(schema: &Value, how: Compiles, optional: &mut usize, unions: &mut usize) -> Result<(), Refusal> {
    const KNOWN: [&str; 9] = [
        "type",
        "properties",
        "required",
        "additionalProperties",
        "items",
        "anyOf",
        "enum",
        "const",
        "description",
    ];
    let Some(keywords) = schema.as_object() else {
        return refuse(Rule::OutputSchema, format!("no schema: {schema}"));
    };
    let known = |keyword: &&String| KNOWN.contains(&keyword.as_str()) || *keyword == "title";
    if let Some(keyword) = keywords.keys().find(|keyword| !known(keyword)) {
        return refuse(Rule::OutputSchema, format!("“{keyword}” is not enforced"));
    }
    let variants = keywords.get("anyOf").and_then(Value::as_array);
    *unions += usize::from(variants.is_some() || schema["type"].is_array());
    ensure(
        variants.is_some() || keywords.contains_key("type"),
        Rule::OutputSchema,
        format!("no type: {schema}"),
    )?;
    for part in variants.into_iter().flatten().chain(keywords.get("items")) {
        compile(part, how, optional, unions)?;
    }
    let is_object = schema["type"] == "object"
        || schema["type"].as_array().is_some_and(|kinds| kinds.contains(&Value::from("object")));
    if !is_object {
        return Ok(());
    }
    ensure(schema["additionalProperties"] == false, Rule::OutputSchema, format!("not closed: {schema}"))?;
    let Some(properties) = keywords.get("properties").and_then(Value::as_object) else {
        return refuse(Rule::OutputSchema, format!("no members: {schema}"));
    };
    let required = keywords.get("required").and_then(Value::as_array).map_or(0, Vec::len);
    let left_out = properties.len().saturating_sub(required);
    ensure(how != Compiles::OpenAi || left_out == 0, Rule::OutputSchema, format!("optional: {schema}"))?;
    *optional += left_out;
    properties.values().try_for_each(|part| compile(part, how, optional, unions))
}
