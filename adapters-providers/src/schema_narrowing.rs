//! Narrows schemas so that a provider can enforce them.
//!
//! Every value that the narrowed schema accepts is valid in the original one, except for two notations that the decoder
//! of the answer reverses: `null` stands for an omitted argument, and a JSON object whose properties cannot be listed
//! is written as text. Keywords that providers do not enforce (lengths, patterns, bounds) are left out: the answer is
//! checked against the original schema anyway. Pure.

use std::borrow::Cow;

use entracte_application::schema::SchemaDocument;
use entracte_domain::value::JsonValue;

use crate::encoder_version::EncoderVersion;
use crate::schema_fit::{SchemaRule, fits, without_draft};

/// The schema to enforce instead of this one, for an encoder version; `None` if it cannot be enforced.
pub(crate) fn enforceable_schema(
    writing: EncoderVersion,
    schema: &SchemaDocument,
    rule: SchemaRule,
) -> Option<Cow<'_, SchemaDocument>> {
    match writing {
        EncoderVersion::V1 => fits(schema, rule).then(|| without_draft(schema)),
        EncoderVersion::V2 | EncoderVersion::V3 | EncoderVersion::V4 | EncoderVersion::V5 => {
            enforced(schema, rule, is_within_limits)
        }
        EncoderVersion::V6 | EncoderVersion::V7 => enforced(schema, rule, |schema, rule| {
            is_within_limits(schema, rule) && has_few_values(schema, rule)
        }),
    }
}

/// The schema to enforce instead of this one; `None` if it cannot be enforced.
fn enforced(
    schema: &SchemaDocument,
    rule: SchemaRule,
    is_within_limits: impl Fn(&SchemaDocument, SchemaRule) -> bool,
) -> Option<Cow<'_, SchemaDocument>> {
    if fits(schema, rule) && is_within_limits(schema, rule) {
        return Some(without_draft(schema));
    }
    let all = [SchemaDetail::Full, SchemaDetail::Coarse];
    let narrowed = all.into_iter().filter_map(|detail| SchemaNarrower { rule, detail }.schema(schema, 0));
    let mut narrowed = narrowed.map(SchemaDocument::from);
    narrowed.find(|narrowed| fits(narrowed, rule) && is_within_limits(narrowed, rule)).map(Cow::Owned)
}

/// Level of detail of a narrowed schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SchemaDetail {
    /// Everything that can be enforced.
    Full,
    /// Values inside the objects of a reply are text.
    Coarse,
}

struct SchemaNarrower {
    rule: SchemaRule,
    detail: SchemaDetail,
}

/// Depth from which objects may become text: the root and the direct parts of a reply may not.
const TEXT_DEPTH: usize = 2;

impl SchemaNarrower {
    fn schema(&self, schema: &JsonValue, depth: usize) -> Option<JsonValue> {
        schema.as_object()?;
        let variants = schema.get("anyOf").or_else(|| schema.get("oneOf")).and_then(JsonValue::as_list);
        if let Some(variants) = variants {
            let variants: Option<Vec<JsonValue>> =
                variants.iter().map(|one| self.schema(one, depth)).collect();
            return Some(described(any_of(variants?), schema));
        }
        if let Some(value) = schema.get("const") {
            let mut constant = of_type(kind_of(value)?);
            constant.set("const", value.clone());
            return Some(described(constant, schema));
        }
        match schema.get("type") {
            Some(JsonValue::Text(kind)) => self.of_kind(kind, schema, depth),
            Some(JsonValue::List(kinds)) => self.of_kinds(kinds, schema, depth),
            _ => {
                let values = schema.get("enum").and_then(JsonValue::as_list)?;
                let is_text = values.iter().all(|value| value.as_text().is_some());
                is_text.then(|| described(with_values(of_type("string"), schema), schema))
            }
        }
    }

    fn of_kind(&self, kind: &str, schema: &JsonValue, depth: usize) -> Option<JsonValue> {
        match kind {
            "object" => match self.object(schema, depth) {
                Some(object) => Some(described(object, schema)),
                None => (depth >= TEXT_DEPTH).then(|| as_text(schema)),
            },
            "array" => {
                let mut list = of_type("array");
                list.set("items", self.schema(schema.get("items")?, depth)?);
                Some(described(list, schema))
            }
            "string" | "number" | "integer" | "boolean" | "null" => {
                Some(described(with_values(of_type(kind), schema), schema))
            }
            _ => None,
        }
    }

    fn of_kinds(&self, kinds: &[JsonValue], schema: &JsonValue, depth: usize) -> Option<JsonValue> {
        let has_parts = kinds.iter().any(|kind| matches!(kind.as_text(), Some("object" | "array")));
        if !has_parts && schema.get("enum").is_none() {
            let kinds = JsonValue::from([("type", JsonValue::List(kinds.to_vec()))]);
            return Some(described(kinds, schema));
        }
        let of = |kind: &JsonValue| {
            // The values of all types are in one list.
            let mut schema = schema.clone();
            if let Some(JsonValue::List(values)) = schema.get_mut("enum") {
                values.retain(|value| kind_of(value) == kind.as_text());
            }
            self.of_kind(kind.as_text()?, &schema, depth)
        };
        let variants: Option<Vec<JsonValue>> = kinds.iter().map(of).collect();
        variants.map(any_of)
    }

    /// Narrows an object to a closed one; `None` if its properties cannot all be listed.
    fn object(&self, schema: &JsonValue, depth: usize) -> Option<JsonValue> {
        if self.detail == SchemaDetail::Coarse && depth >= TEXT_DEPTH {
            return None;
        }
        let is_open = match schema.get("additionalProperties") {
            None | Some(JsonValue::Bool(false)) => schema.get("patternProperties").is_some(),
            Some(_) => true,
        };
        let properties = schema.get("properties").and_then(JsonValue::as_object).filter(|_| !is_open)?;
        let required = schema.get("required").and_then(JsonValue::as_list).unwrap_or_default();
        let is_required = |name: &str| required.iter().any(|one| one.as_text() == Some(name));
        let (mut narrowed, mut names) = (Vec::new(), Vec::new());
        for (name, property) in properties {
            let property = self.schema(property, depth + 1)?;
            let property = match self.rule {
                SchemaRule::ClosedAndRequired if !is_required(name) => nullable(property),
                SchemaRule::ClosedAndRequired | SchemaRule::Closed => property,
            };
            if self.rule == SchemaRule::ClosedAndRequired || is_required(name) {
                names.push(JsonValue::from(name.as_str()));
            }
            narrowed.push((name.clone(), property));
        }
        Some(JsonValue::from([
            ("type", JsonValue::from("object")),
            ("additionalProperties", JsonValue::Bool(false)),
            ("properties", JsonValue::Object(narrowed)),
            ("required", JsonValue::List(names)),
        ]))
    }
}

fn of_type(kind: &str) -> JsonValue {
    JsonValue::from([("type", JsonValue::from(kind))])
}

fn any_of(variants: Vec<JsonValue>) -> JsonValue {
    JsonValue::from([("anyOf", JsonValue::List(variants))])
}

/// The schema with the values that the original one allows, if it lists them.
fn with_values(mut narrowed: JsonValue, schema: &JsonValue) -> JsonValue {
    if let Some(values) = schema.get("enum") {
        narrowed.set("enum", values.clone());
    }
    narrowed
}

/// The schema, with `null` allowed too.
fn nullable(mut schema: JsonValue) -> JsonValue {
    let nothing = of_type("null");
    if let Some(JsonValue::List(variants)) = schema.get_mut("anyOf") {
        if !variants.contains(&nothing) {
            variants.push(nothing);
        }
        return schema;
    }
    let is_plain = schema.get("enum").is_none() && schema.get("const").is_none();
    let null = JsonValue::from("null");
    match schema.get_mut("type") {
        Some(JsonValue::List(kinds)) => {
            if !kinds.contains(&null) {
                kinds.push(null);
            }
            schema
        }
        Some(kind) if is_plain && !matches!(kind.as_text(), Some("object" | "array")) => {
            *kind = JsonValue::List(vec![kind.clone(), null]);
            schema
        }
        _ => any_of(vec![schema, nothing]),
    }
}

/// The schema with the description of the original.
fn described(mut narrowed: JsonValue, schema: &JsonValue) -> JsonValue {
    if let Some(words) = schema.get("description") {
        narrowed.set("description", words.clone());
    }
    narrowed
}

/// The schema of an object that is written as text.
fn as_text(schema: &JsonValue) -> JsonValue {
    let words = schema.get("description").and_then(JsonValue::as_text).unwrap_or_default();
    let words = format!("{words} {TEXT_WORDS}");
    let mut text = of_type("string");
    text.set("description", JsonValue::from(words.trim()));
    text
}

const TEXT_WORDS: &str = "The JSON object, written as text.";

fn kind_of(value: &JsonValue) -> Option<&'static str> {
    match value {
        JsonValue::Null => Some("null"),
        JsonValue::Bool(_) => Some("boolean"),
        JsonValue::Number(number) if number.contains(['.', 'e', 'E']) => Some("number"),
        JsonValue::Number(_) => Some("integer"),
        JsonValue::Text(_) => Some("string"),
        JsonValue::List(_) | JsonValue::Object(_) => None,
    }
}

/// Whether a schema is within the size limits of the servers' compilers.
fn is_within_limits(schema: &SchemaDocument, rule: SchemaRule) -> bool {
    let mut size = SchemaSize::default();
    size.add(schema, 0);
    match rule {
        SchemaRule::Closed => size.optional <= CLAUDE_OPTIONAL && size.unions <= CLAUDE_UNIONS,
        SchemaRule::ClosedAndRequired => {
            size.properties <= OPENAI_PROPERTIES
                && size.depth <= OPENAI_DEPTH
                && schema.to_string().len() <= OPENAI_BYTES
        }
    }
}

/// Whether a schema has no more values to choose from than the servers' compilers accept.
fn has_few_values(schema: &SchemaDocument, rule: SchemaRule) -> bool {
    let mut size = SchemaSize::default();
    size.add(schema, 0);
    match rule {
        SchemaRule::Closed => true,
        SchemaRule::ClosedAndRequired => size.values <= OPENAI_VALUES && !size.has_large_enum,
    }
}

/// Most optional parameters, and most parameters of several types, that Claude compiles.
const CLAUDE_OPTIONAL: usize = 24;
const CLAUDE_UNIONS: usize = 16;
/// Most properties, nesting levels, and characters of names and values that OpenAI compiles; the last one is counted
/// more strictly here, over the whole schema.
const OPENAI_PROPERTIES: usize = 5000;
const OPENAI_DEPTH: usize = 10;
const OPENAI_BYTES: usize = 100_000;
/// Most values of all enums together, and most bytes of the values of one enum if it has more than 250.
const OPENAI_VALUES: usize = 1_000;
const OPENAI_SMALL_ENUM: usize = 250;
const OPENAI_ENUM_BYTES: usize = 15_000;

#[derive(Default)]
struct SchemaSize {
    properties: usize,
    optional: usize,
    unions: usize,
    depth: usize,
    values: usize,
    has_large_enum: bool,
}

impl SchemaSize {
    fn add(&mut self, schema: &JsonValue, depth: usize) {
        if let Some(values) = schema.get("enum").and_then(JsonValue::as_list) {
            let bytes: usize = values.iter().filter_map(JsonValue::as_text).map(str::len).sum();
            self.values += values.len();
            self.has_large_enum |= values.len() > OPENAI_SMALL_ENUM && bytes > OPENAI_ENUM_BYTES;
        }
        let variants = schema.get("anyOf").and_then(JsonValue::as_list);
        self.unions += usize::from(variants.is_some());
        self.unions += usize::from(matches!(schema.get("type"), Some(JsonValue::List(_))));
        for variant in variants.unwrap_or_default() {
            self.add(variant, depth);
        }
        if let Some(items) = schema.get("items") {
            self.add(items, depth);
        }
        let Some(properties) = schema.get("properties").and_then(JsonValue::as_object) else { return };
        let required = schema.get("required").and_then(JsonValue::as_list).map_or(0, <[_]>::len);
        self.depth = self.depth.max(depth + 1);
        self.properties += properties.len();
        self.optional += properties.len().saturating_sub(required);
        for (_, property) in properties {
            self.add(property, depth + 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, Value, json};

    use super::*;

    fn latest(schema: &Value, rule: SchemaRule) -> Option<SchemaDocument> {
        enforceable_schema(EncoderVersion::LATEST, &schema.into(), rule).map(Cow::into_owned)
    }

    /// Input: numbers of a reply's schema that no machine number holds; expected: they are enforced as they are written,
    /// whole or narrowed.
    #[test]
    fn narrowed_schema_keeps_digits() {
        let text = concat!(
            r#"{"additionalProperties":false,"properties":{"a":{"const":72.50,"type":"number"},"#,
            r#""b":{"enum":[12345678901234567890.12,1e+2],"type":"number"}},"required":["a","b"],"type":"object"}"#
        );
        let whole = SchemaDocument::parse(text).unwrap();
        let enforced = |schema: &SchemaDocument| {
            let rule = SchemaRule::ClosedAndRequired;
            enforceable_schema(EncoderVersion::LATEST, schema, rule).map(|schema| schema.to_string())
        };
        assert_eq!(enforced(&whole).as_deref(), Some(text));
        let bounded = text.replace(r#""enum""#, r#""minimum":0.10,"enum""#);
        assert_eq!(enforced(&SchemaDocument::parse(&bounded).unwrap()).as_deref(), Some(text));
    }

    fn command(params: Value) -> Value {
        json!({"type": "object", "additionalProperties": false, "required": ["type", "params"],
            "properties": {"type": {"const": "LOOK"}, "params": params}})
    }

    fn reply(params: Value) -> Value {
        json!({"type": "object", "additionalProperties": false, "required": ["say"], "properties": {
            "say": {"type": "string", "minLength": 1},
            "queries": {"type": ["array", "null"], "items": {"anyOf": [command(params)]}},
        }})
    }

    #[test]
    fn optional_is_null_for_openai_optional_for_claude() {
        let params = json!({"type": "object", "required": ["at"], "properties": {
            "at": {"type": "integer", "minimum": 1, "description": "Where."},
            "how": {"enum": ["far", "near"]},
        }});
        let command = |params: Value| {
            json!({"type": "object", "additionalProperties": false, "required": ["params", "type"],
                "properties": {"type": {"type": "string", "const": "LOOK"}, "params": params}})
        };
        let queries = |command: Value| json!({"anyOf": [{"type": "array", "items": {"anyOf": [command]}}, {"type": "null"}]});
        let at = json!({"type": "integer", "description": "Where."});
        let how = json!({"type": "string", "enum": ["far", "near"]});
        let openai = json!({"type": "object", "additionalProperties": false, "required": ["queries", "say"],
        "properties": {"say": {"type": "string"}, "queries": queries(command(
            json!({"type": "object", "additionalProperties": false, "required": ["at", "how"],
                "properties": {"at": at, "how": {"anyOf": [how, {"type": "null"}]}}})
        ))}});
        assert_eq!(latest(&reply(params.clone()), SchemaRule::ClosedAndRequired).unwrap(), openai);
        let claude = json!({"type": "object", "additionalProperties": false, "required": ["say"],
        "properties": {"say": {"type": "string"}, "queries": queries(command(
            json!({"type": "object", "additionalProperties": false, "required": ["at"],
                "properties": {"at": at, "how": how}})
        ))}});
        assert_eq!(latest(&reply(params), SchemaRule::Closed).unwrap(), claude);
    }

    #[test]
    fn open_object_becomes_text() {
        let params = json!({"type": "object", "required": ["data"], "additionalProperties": false,
            "properties": {"data": {"type": "object", "description": "The entry."}}});
        for rule in [SchemaRule::Closed, SchemaRule::ClosedAndRequired] {
            let schema = latest(&reply(params.clone()), rule).unwrap().to_string();
            let expected =
                r#""data":{"description":"The entry. The JSON object, written as text.","type":"string"}"#;
            assert!(schema.contains(expected), "{schema}");
        }
        assert_eq!(
            latest(&json!({"type": "object"}), SchemaRule::Closed),
            None,
            "the answer itself is no text"
        );
    }

    #[test]
    fn schema_too_large_for_claude_becomes_text() {
        let many: Map<String, Value> =
            (0..25).map(|n| (format!("p{n}"), json!({"type": "string"}))).collect();
        let params = json!({"type": "object", "additionalProperties": false, "properties": many});
        let schema = reply(params);
        let claude = latest(&schema, SchemaRule::Closed).unwrap().to_string();
        assert!(!claude.contains("p24") && claude.contains("written as text"), "{claude}");
        let openai = latest(&schema, SchemaRule::ClosedAndRequired).unwrap().to_string();
        assert!(openai.contains("p24") && !openai.contains("written as text"), "{openai}");
    }

    /// An object with this property, and the same nested in so many objects.
    fn nested(mut property: Value, levels: usize) -> Value {
        for _ in 0..levels {
            property = json!({"type": "object", "additionalProperties": false, "required": ["p"],
                "properties": {"p": property}});
        }
        property
    }

    /// Input: schemas at and beyond each documented limit of OpenAI's strict mode: ten levels, 5,000 properties, 1,000 enum
    /// values, 15,000 characters in an enum of more than 250 values; expected: one at the limit is enforced as it is, one
    /// beyond it is narrowed or not enforced at all. Generations of an earlier encoder keep theirs.
    #[test]
    fn schema_beyond_strict_limits_is_not_enforced_whole() {
        let openai = SchemaRule::ClosedAndRequired;
        let text = json!({"type": "string"});
        let with_properties = |count: usize| {
            let names: Vec<String> = (0..count).map(|n| format!("p{n}")).collect();
            let all: Map<String, Value> =
                names.iter().map(|name| (name.clone(), json!({"type": "null"}))).collect();
            json!({"type": "object", "additionalProperties": false, "required": names, "properties": all})
        };
        let values = |count: usize, width: usize| {
            let all: Vec<String> = (0..count).map(|n| format!("{n:0width$}")).collect();
            nested(json!({"type": "string", "enum": all}), 1)
        };
        let mut half = values(501, 4);
        half["properties"]["q"] = half["properties"]["p"].clone();
        half["required"] = json!(["p", "q"]);
        let is_whole = |schema: &Value| latest(schema, openai).is_some_and(|enforced| enforced == *schema);
        for (schema, expected) in [
            (nested(text.clone(), 10), true),
            (nested(text.clone(), 11), false),
            (with_properties(2_000), true),
            (with_properties(5_001), false),
            (values(1_000, 4), true),
            (values(1_001, 4), false),
            (half.clone(), false),
            (values(250, 100), true),
            (values(251, 60), false),
            (values(300, 50), true),
        ] {
            let start: String = schema.to_string().chars().take(120).collect();
            assert_eq!(is_whole(&schema), expected, "{start}");
        }
        let many = values(1_001, 4);
        assert_eq!(latest(&many, openai), None, "no value of it may be left out");
        assert!(latest(&many, SchemaRule::Closed).is_some());
        assert!(enforceable_schema(EncoderVersion::V5, &(&many).into(), openai).is_some());
        let inside = reply(values(1_001, 4));
        let coarse = latest(&inside, openai).unwrap().to_string();
        assert!(coarse.contains("written as text") && !coarse.contains("1000"), "{coarse}");
    }
}
