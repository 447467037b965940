//! Parts of a body, parsed or refused.

use serde_json::{Map, Value};

use super::{StrictApiRefusal, StrictApiRule};

pub(super) type JsonObjectMap = Map<String, Value>;

pub(super) fn refuse<T>(rule: StrictApiRule, why: impl Into<String>) -> Result<T, StrictApiRefusal> {
    Err(StrictApiRefusal::new(rule, why))
}

pub(super) fn ensure(
    holds: bool,
    rule: StrictApiRule,
    why: impl Into<String>,
) -> Result<(), StrictApiRefusal> {
    if holds { Ok(()) } else { refuse(rule, why) }
}

/// An object with these fields and no other.
pub(super) fn object<'a>(
    value: &'a Value,
    what: &str,
    known: &[&str],
) -> Result<&'a JsonObjectMap, StrictApiRefusal> {
    let Some(object) = value.as_object() else {
        return refuse(StrictApiRule::Shape, format!("{what} is no object: {value}"));
    };
    match object.keys().find(|key| !known.contains(&key.as_str())) {
        Some(key) => refuse(StrictApiRule::UnknownField, format!("{what} has “{key}”")),
        None => Ok(object),
    }
}

/// A text; an absent one is refused.
pub(super) fn text<'a>(object: &'a JsonObjectMap, field: &str) -> Result<&'a str, StrictApiRefusal> {
    match object.get(field).and_then(Value::as_str) {
        Some(text) => Ok(text),
        None => refuse(StrictApiRule::Shape, format!("“{field}” is not text: {:?}", object.get(field))),
    }
}

/// A list that is not empty.
pub(super) fn list<'a>(value: Option<&'a Value>, what: &str) -> Result<&'a [Value], StrictApiRefusal> {
    match value.and_then(Value::as_array) {
        Some(list) if !list.is_empty() => Ok(list),
        _ => refuse(StrictApiRule::Shape, format!("{what} is no list with something in it: {value:?}")),
    }
}

/// A text with visible content.
pub(super) fn readable(text: &str, what: &str) -> Result<(), StrictApiRefusal> {
    ensure(!text.trim().is_empty(), StrictApiRule::EmptyText, format!("{what}: {text:?}"))
}

/// `^[a-zA-Z0-9_-]{1,64}$`
pub(super) fn is_word(text: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    (1..=64).contains(&text.len()) && text.bytes().all(fits)
}

/// The names of the declared tools; each must be unique.
pub(super) fn names<'a>(names: impl Iterator<Item = &'a str>) -> Result<usize, StrictApiRefusal> {
    let mut seen: Vec<&str> = Vec::new();
    for name in names {
        ensure(is_word(name), StrictApiRule::NameShape, name)?;
        ensure(!seen.contains(&name), StrictApiRule::NameTwice, name)?;
        seen.push(name);
    }
    Ok(seen.len())
}

/// A schema of arguments, which must be that of an object.
pub(super) fn schema(schema: Option<&Value>) -> Result<(), StrictApiRefusal> {
    let is_object = schema.is_some_and(|schema| schema["type"] == "object");
    ensure(is_object, StrictApiRule::Schema, format!("{schema:?}"))
}

/// How strictly a reply schema is compiled.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum SchemaCompileMode {
    /// Closed objects; few optional members and few unions.
    Claude,
    /// Closed objects, each member required, each value with a type.
    OpenAi,
}

/// A reply schema as the server compiles it.
pub(super) fn output_schema(schema: &Value, how: SchemaCompileMode) -> Result<(), StrictApiRefusal> {
    let (mut optional, mut unions) = (0, 0);
    ensure(schema["type"] == "object", StrictApiRule::OutputSchema, "the answer is no object")?;
    compile(schema, how, &mut optional, &mut unions)?;
    let is_small = how != SchemaCompileMode::Claude || optional <= 24 && unions <= 16;
    ensure(is_small, StrictApiRule::OutputSchema, format!("{optional} optional members, {unions} unions"))
}

fn compile(
    schema: &Value,
    how: SchemaCompileMode,
    optional: &mut usize,
    unions: &mut usize,
) -> Result<(), StrictApiRefusal> {
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
        return refuse(StrictApiRule::OutputSchema, format!("no schema: {schema}"));
    };
    let known = |keyword: &&String| KNOWN.contains(&keyword.as_str()) || *keyword == "title";
    if let Some(keyword) = keywords.keys().find(|keyword| !known(keyword)) {
        return refuse(StrictApiRule::OutputSchema, format!("“{keyword}” is not enforced"));
    }
    let variants = keywords.get("anyOf").and_then(Value::as_array);
    *unions += usize::from(variants.is_some() || schema["type"].is_array());
    ensure(
        variants.is_some() || keywords.contains_key("type"),
        StrictApiRule::OutputSchema,
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
    ensure(
        schema["additionalProperties"] == false,
        StrictApiRule::OutputSchema,
        format!("not closed: {schema}"),
    )?;
    let Some(properties) = keywords.get("properties").and_then(Value::as_object) else {
        return refuse(StrictApiRule::OutputSchema, format!("no members: {schema}"));
    };
    let required = keywords.get("required").and_then(Value::as_array).map_or(0, Vec::len);
    let left_out = properties.len().saturating_sub(required);
    ensure(
        how != SchemaCompileMode::OpenAi || left_out == 0,
        StrictApiRule::OutputSchema,
        format!("optional: {schema}"),
    )?;
    *optional += left_out;
    properties.values().try_for_each(|part| compile(part, how, optional, unions))
}

/// The data of a file in base64.
pub(super) fn base64(data: &str) -> Result<(), StrictApiRefusal> {
    let is_digit = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=');
    let is_whole = !data.is_empty() && data.len().is_multiple_of(4) && data.bytes().all(is_digit);
    ensure(is_whole, StrictApiRule::Shape, format!("no base64: {data:?}"))
}

/// A file as a URL, of one of these media types.
pub(super) fn data_url(url: &str, media_types: &[&str]) -> Result<(), StrictApiRefusal> {
    let parts = url.strip_prefix("data:").and_then(|rest| rest.split_once(";base64,"));
    match parts {
        Some((media_type, data)) if media_types.contains(&media_type) => base64(data),
        _ => refuse(StrictApiRule::Shape, format!("no file of {media_types:?}: {url:?}")),
    }
}

/// The media types of images that all APIs read.
pub(super) const IMAGES: [&str; 4] = ["image/png", "image/jpeg", "image/gif", "image/webp"];
/// The media type of the documents that they read.
pub(super) const PDF: [&str; 1] = ["application/pdf"];
