//! Faults of values, in types of ours.

use entracte_domain::value::JsonValue;
use jsonschema::ValidationError;
use jsonschema::error::{TypeKind, ValidationErrorKind};
use serde_json::Value;

use super::exact_keywords::{MAXIMUM_FAULT, MINIMUM_FAULT};
use crate::json_value::{parse_foreign, to_text};

/// A fault of a value against a [schema](super::Schema).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValueFault {
    /// JSON pointer to the faulty value; empty for the whole.
    pub path: String,
    /// The faulty value as JSON text, with all digits.
    pub value: String,
    /// The fault in English, which quotes the value.
    pub text: String,
    /// What the schema expects.
    pub kind: ValueFaultKind,
}

/// What a schema expects of a value. Limits and options are JSON texts.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ValueFaultKind {
    /// A member that is missing.
    Required {
        /// The name of the member.
        property: String,
    },
    /// No other members.
    AdditionalProperties {
        /// The names of the others.
        unexpected: Vec<String>,
    },
    /// No value at all.
    FalseSchema,
    /// A number of at least this.
    Minimum {
        /// The least number.
        limit: String,
    },
    /// A number of at most this.
    Maximum {
        /// The greatest number.
        limit: String,
    },
    /// A text of at least so many characters.
    MinLength {
        /// The number of characters.
        limit: u64,
    },
    /// A text of at most so many characters.
    MaxLength {
        /// The number of characters.
        limit: u64,
    },
    /// A list of at least so many items.
    MinItems {
        /// The number of items.
        limit: u64,
    },
    /// A list of at most so many items.
    MaxItems {
        /// The number of items.
        limit: u64,
    },
    /// A list without equal items.
    UniqueItems,
    /// A text of a format.
    Format {
        /// The name of the format.
        format: String,
    },
    /// One of some values.
    Enum {
        /// The values.
        options: Vec<String>,
    },
    /// A value of one of some types.
    Type {
        /// The names of the types.
        types: Vec<String>,
    },
    /// Something else, which only the text says.
    Other,
}

impl ValueFault {
    /// The fault that the library found in a value.
    pub(super) fn new(error: &ValidationError<'_>, whole: &JsonValue) -> Self {
        let path = error.instance_path().to_string();
        let exact = whole.pointer(&path);
        // The library has a beginning of the value only. At the path of the name of a member stands its object.
        let value = match (error.instance().as_ref(), exact) {
            (Value::Number(_) | Value::Array(_) | Value::Object(_), Some(exact))
            | (Value::String(_), Some(exact @ JsonValue::Text(_))) => to_text(exact),
            (quoted, _) => quoted.to_string(),
        };
        let text = match error.kind() {
            ValidationErrorKind::Custom { keyword, message } => custom_text(keyword, message, &value),
            ValidationErrorKind::AdditionalItems { limit } => {
                let items = exact.and_then(JsonValue::as_list).unwrap_or_default();
                additional_items_text(items.get(*limit..).unwrap_or_default())
            }
            // It quotes items, which the placeholder is not.
            ValidationErrorKind::UnevaluatedItems { .. } => error.to_string(),
            _ => error.masked_with(value.as_str()).to_string(),
        };
        Self { path, value, text, kind: kind(error.kind()) }
    }
}

/// The sentence about items beyond those that a schema describes, as the library would say it.
fn additional_items_text(items: &[JsonValue]) -> String {
    let shown: Vec<String> = items.iter().map(to_text).collect();
    let verb = if items.len() == 1 { "was" } else { "were" };
    format!("Additional items are not allowed ({} {verb} unexpected)", shown.join(", "))
}

/// The sentence about a keyword of ours, as the library would say it.
fn custom_text(keyword: &str, message: &str, value: &str) -> String {
    match keyword {
        "const" => format!("{message} was expected"),
        "enum" => {
            let options = options_of(message);
            let shown = if options.len() > ENUM_SHOWN_MAX { ENUM_SHOWN_MAX - 1 } else { options.len() };
            let (first, rest) = options.split_at(shown);
            let words = match (first, rest.len()) {
                ([only], 0) => only.clone(),
                ([before @ .., last], 0) => format!("{} or {last}", before.join(", ")),
                (first, others) => format!("{} or {others} other candidates", first.join(", ")),
            };
            format!("{value} is not one of {words}")
        }
        _ => format!("{value} is {message}"),
    }
}

/// The most options of an `enum` that are all named.
const ENUM_SHOWN_MAX: usize = 3;

/// The options in a list of JSON text.
fn options_of(list: &str) -> Vec<String> {
    let list = parse_foreign(list).unwrap_or(JsonValue::Null);
    list.as_list().unwrap_or_default().iter().map(to_text).collect()
}

fn kind(of: &ValidationErrorKind) -> ValueFaultKind {
    use ValidationErrorKind as Kind;
    match of {
        Kind::Required { property } => {
            ValueFaultKind::Required { property: property.as_str().unwrap_or_default().to_owned() }
        }
        Kind::AdditionalProperties { unexpected } => {
            ValueFaultKind::AdditionalProperties { unexpected: unexpected.clone() }
        }
        Kind::FalseSchema => ValueFaultKind::FalseSchema,
        Kind::Custom { keyword, message } => custom_kind(keyword, message),
        Kind::MinLength { limit } => ValueFaultKind::MinLength { limit: *limit },
        Kind::MaxLength { limit } => ValueFaultKind::MaxLength { limit: *limit },
        Kind::MinItems { limit } => ValueFaultKind::MinItems { limit: *limit },
        Kind::MaxItems { limit } => ValueFaultKind::MaxItems { limit: *limit },
        Kind::UniqueItems => ValueFaultKind::UniqueItems,
        Kind::Format { format } => ValueFaultKind::Format { format: format.clone() },
        Kind::Enum { options } => {
            let options = options.as_array().map(Vec::as_slice).unwrap_or_default();
            ValueFaultKind::Enum { options: options.iter().map(ToString::to_string).collect() }
        }
        Kind::Type { kind: TypeKind::Single(one) } => ValueFaultKind::Type { types: vec![one.to_string()] },
        Kind::Type { kind: TypeKind::Multiple(types) } => {
            ValueFaultKind::Type { types: types.iter().map(|one| one.to_string()).collect() }
        }
        _ => ValueFaultKind::Other,
    }
}

fn custom_kind(keyword: &str, message: &str) -> ValueFaultKind {
    let limit = |fault: &str| message.strip_prefix(fault).map(|limit| limit.trim_start().to_owned());
    if keyword == "enum" {
        return ValueFaultKind::Enum { options: options_of(message) };
    }
    match (limit(MINIMUM_FAULT), limit(MAXIMUM_FAULT)) {
        (Some(limit), _) => ValueFaultKind::Minimum { limit },
        (None, Some(limit)) => ValueFaultKind::Maximum { limit },
        (None, None) => ValueFaultKind::Other,
    }
}
