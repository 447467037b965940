//! The keywords that compare numbers, by all their digits.
//!
//! The library compares machine numbers, so these keywords are given to it as custom ones. The numbers of a schema
//! reach it rounded as well: where the text of one differs, it stands beside the keyword, under a name of ours.

use entracte_domain::value::JsonValue;
use jsonschema::paths::Location;
use jsonschema::{Keyword, PatternOptions, ValidationError, Validator};
use serde_json::{Map, Number, Value};

use super::exact_instance::ExactInstance;
use super::positions::{ContainerKind, SchemaHolder, holder_of};
use super::references::is_oldest;
use crate::json_value::{ExactDecimal, are_equal, from_serde, parse_foreign, to_text};
use crate::settings::SchemaBounds;

/// The keywords that compare numbers with a limit.
const LIMITS: [&str; 5] = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"];
/// The keywords whose value is compared as a whole, or not at all.
const DATA: [&str; 5] = ["const", "enum", "default", "example", "examples"];
/// What a name of ours begins with. A schema that has such names loses them.
const OWN_NAMES: &str = "x-entracte-";

/// A keyword of the library's with exact numbers.
type BoxedKeyword = Box<dyn for<'i> Keyword<'i, ExactInstance>>;

/// Compiles a [rounded schema](rounded_schema) so that numbers are compared by all their digits.
///
/// # Errors
/// When the schema is not valid, or a regular expression of it is refused.
pub(super) fn exact_validator(
    schema: &Value,
    bounds: &SchemaBounds,
) -> Result<Validator<ExactInstance>, ValidationError<'static>> {
    let patterns = PatternOptions::regex().size_limit(bounds.pattern_bytes);
    let mut options = jsonschema::options_for::<ExactInstance>()
        .should_validate_formats(true)
        .with_pattern_options(patterns)
        .offline();
    for keyword in LIMITS {
        options = options
            .with_keyword(keyword, move |parent, value, _: Location| Ok(limit(keyword, parent, value)));
    }
    // The oldest drafts have no `const`.
    let is_oldest = schema.get("$schema").and_then(Value::as_str).is_some_and(is_oldest);
    // Constants without numbers stay the library's, which chooses alternatives by them.
    let (exact_const, exact_enum) = (exact_text_name("const"), exact_text_name("enum"));
    let has_const = |part: &Map<String, Value>| {
        part.get("const").is_some_and(Value::is_number) || part.contains_key(&exact_const)
    };
    if !is_oldest && has_object(schema, &has_const) {
        options = options.with_keyword("const", |parent, value, _: Location| Ok(constant(parent, value)));
    }
    if has_object(schema, &|part: &Map<String, Value>| part.contains_key(&exact_enum)) {
        options = options.with_keyword("enum", |parent, value, _: Location| Ok(enumeration(parent, value)));
    }
    options.build(schema)
}

/// A schema with machine numbers. Where the text of a number that is compared differs, it stands beside the keyword
/// ([`exact_text_name`]).
pub(super) fn rounded_schema(schema: &JsonValue) -> Value {
    match schema {
        JsonValue::Object(members) => {
            let mut rounded = Map::new();
            for (keyword, part) in members.iter().filter(|(name, _)| !name.starts_with(OWN_NAMES)) {
                round_member(keyword, part, &mut rounded);
            }
            Value::Object(rounded)
        }
        JsonValue::List(items) => Value::Array(items.iter().map(rounded_schema).collect()),
        JsonValue::Null | JsonValue::Bool(_) | JsonValue::Number(_) | JsonValue::Text(_) => {
            rounded_value(schema)
        }
    }
}

fn round_member(keyword: &str, part: &JsonValue, rounded: &mut Map<String, Value>) {
    let is_limit = matches!(part, JsonValue::Number(_)) && LIMITS.contains(&keyword);
    if is_limit || DATA.contains(&keyword) {
        let value = rounded_value(part);
        let is_compared = is_limit || matches!(keyword, "const" | "enum");
        if is_compared && from_serde(&value) != *part {
            rounded.insert(exact_text_name(keyword), Value::String(to_text(part)));
        }
        rounded.insert(keyword.to_owned(), value);
        return;
    }
    let container = match part {
        JsonValue::Object(_) => Some(ContainerKind::Object),
        JsonValue::List(_) => Some(ContainerKind::List),
        JsonValue::Null | JsonValue::Bool(_) | JsonValue::Number(_) | JsonValue::Text(_) => None,
    };
    let value = match (container.and_then(|container| holder_of(keyword, container)), part) {
        (Some(SchemaHolder::Members), JsonValue::Object(parts)) => {
            Value::Object(parts.iter().map(|(name, part)| (name.clone(), rounded_schema(part))).collect())
        }
        // A reference may lead to any place, so an unknown keyword may hold schemas.
        _ => rounded_schema(part),
    };
    rounded.insert(keyword.to_owned(), value);
}

/// The name under which the exact text of a keyword's value stands beside it.
pub(super) fn exact_text_name(keyword: &str) -> String {
    format!("{OWN_NAMES}{keyword}")
}

/// Whether an object of the value, or the value itself, is such a one.
fn has_object(value: &Value, is_such: &impl Fn(&Map<String, Value>) -> bool) -> bool {
    match value {
        Value::Object(members) => {
            is_such(members) || members.values().any(|member| has_object(member, is_such))
        }
        Value::Array(items) => items.iter().any(|item| has_object(item, is_such)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

/// A value with machine numbers. One beyond them becomes the largest; one that would become zero, the smallest.
fn rounded_value(value: &JsonValue) -> Value {
    match value {
        JsonValue::Null => Value::Null,
        JsonValue::Bool(truth) => Value::Bool(*truth),
        JsonValue::Number(text) => Value::Number(rounded_number(text)),
        JsonValue::Text(text) => Value::String(text.clone()),
        JsonValue::List(items) => Value::Array(items.iter().map(rounded_value).collect()),
        JsonValue::Object(members) => {
            Value::Object(members.iter().map(|(name, value)| (name.clone(), rounded_value(value))).collect())
        }
    }
}

fn rounded_number(text: &str) -> Number {
    if let Ok(number) = text.parse::<u64>() {
        return number.into();
    }
    if let Ok(number) = text.parse::<i64>() {
        return number.into();
    }
    let near = text.parse::<f64>().unwrap_or(0.0).clamp(f64::MIN, f64::MAX);
    let is_zero = || ExactDecimal::parse(text) == ExactDecimal::parse("0");
    let smallest = || if text.starts_with('-') { -f64::MIN_POSITIVE } else { f64::MIN_POSITIVE };
    let near = if near == 0.0 && !is_zero() { smallest() } else { near };
    Number::from_f64(near).unwrap_or_else(|| 0.into())
}

/// The value of a keyword with all its digits.
fn exact_value(keyword: &str, parent: &Map<String, Value>, value: &Value) -> JsonValue {
    let text = parent.get(&exact_text_name(keyword)).and_then(Value::as_str);
    text.and_then(|text| parse_foreign(text).ok()).unwrap_or_else(|| from_serde(value))
}

/// How a number is compared with a limit.
#[derive(Clone, Copy)]
enum LimitKind {
    Minimum,
    Maximum,
    ExclusiveMinimum,
    ExclusiveMaximum,
    MultipleOf,
}

impl LimitKind {
    /// The kind of a keyword. In draft 4 a limit is exclusive by a flag beside it.
    fn of(keyword: &str, parent: &Map<String, Value>) -> Self {
        let is_flagged = |flag: &str| parent.get(flag) == Some(&Value::Bool(true));
        match keyword {
            "minimum" if is_flagged("exclusiveMinimum") => Self::ExclusiveMinimum,
            "minimum" => Self::Minimum,
            "maximum" if is_flagged("exclusiveMaximum") => Self::ExclusiveMaximum,
            "maximum" => Self::Maximum,
            "exclusiveMinimum" => Self::ExclusiveMinimum,
            "exclusiveMaximum" => Self::ExclusiveMaximum,
            _ => Self::MultipleOf,
        }
    }

    fn allows(self, number: &ExactDecimal, limit: &ExactDecimal) -> bool {
        match self {
            Self::Minimum => number >= limit,
            Self::Maximum => number <= limit,
            Self::ExclusiveMinimum => number > limit,
            Self::ExclusiveMaximum => number < limit,
            Self::MultipleOf => number.is_multiple_of(limit),
        }
    }

    /// What a number is that the limit refuses, in the library's words.
    const fn fault(self) -> &'static str {
        match self {
            Self::Minimum => MINIMUM_FAULT,
            Self::Maximum => MAXIMUM_FAULT,
            Self::ExclusiveMinimum => "less than or equal to the minimum of",
            Self::ExclusiveMaximum => "greater than or equal to the maximum of",
            Self::MultipleOf => "not a multiple of",
        }
    }
}

/// What a number below a `minimum` is.
pub(super) const MINIMUM_FAULT: &str = "less than the minimum of";
/// What a number above a `maximum` is.
pub(super) const MAXIMUM_FAULT: &str = "greater than the maximum of";

/// A limit of numbers; none if the keyword is the flag of draft 4.
struct LimitKeyword {
    kind: LimitKind,
    limit: Option<ExactDecimal>,
    /// As it is written.
    text: String,
}

fn limit(keyword: &str, parent: &Map<String, Value>, value: &Value) -> BoxedKeyword {
    let kind = LimitKind::of(keyword, parent);
    let exact = exact_value(keyword, parent, value);
    let text = to_text(&exact);
    Box::new(LimitKeyword { kind, limit: ExactDecimal::parse(&text), text })
}

impl<'i> Keyword<'i, ExactInstance> for LimitKeyword {
    fn validate(&self, instance: &'i JsonValue) -> Result<(), ValidationError<'i>> {
        match self.is_valid(instance) {
            true => Ok(()),
            false => Err(ValidationError::custom(format!("{} {}", self.kind.fault(), self.text))),
        }
    }

    fn is_valid(&self, instance: &'i JsonValue) -> bool {
        let (JsonValue::Number(text), Some(limit)) = (instance, &self.limit) else { return true };
        ExactDecimal::parse(text).is_some_and(|number| self.kind.allows(&number, limit))
    }
}

/// `const`; its fault is the expected value.
struct ConstKeyword(JsonValue);

fn constant(parent: &Map<String, Value>, value: &Value) -> BoxedKeyword {
    Box::new(ConstKeyword(exact_value("const", parent, value)))
}

impl<'i> Keyword<'i, ExactInstance> for ConstKeyword {
    fn validate(&self, instance: &'i JsonValue) -> Result<(), ValidationError<'i>> {
        match self.is_valid(instance) {
            true => Ok(()),
            false => Err(ValidationError::custom(to_text(&self.0))),
        }
    }

    fn is_valid(&self, instance: &'i JsonValue) -> bool {
        are_equal(instance, &self.0)
    }
}

/// `enum`; its fault is the list of options.
struct EnumKeyword(JsonValue);

fn enumeration(parent: &Map<String, Value>, value: &Value) -> BoxedKeyword {
    Box::new(EnumKeyword(exact_value("enum", parent, value)))
}

impl<'i> Keyword<'i, ExactInstance> for EnumKeyword {
    fn validate(&self, instance: &'i JsonValue) -> Result<(), ValidationError<'i>> {
        match self.is_valid(instance) {
            true => Ok(()),
            false => Err(ValidationError::custom(to_text(&self.0))),
        }
    }

    fn is_valid(&self, instance: &'i JsonValue) -> bool {
        self.0.as_list().unwrap_or_default().iter().any(|option| are_equal(instance, option))
    }
}
