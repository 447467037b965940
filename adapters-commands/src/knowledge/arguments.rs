//! Reads command arguments that were already checked against their schemas.

use entracte_application::knowledge::{FieldComparison, FieldFilter, StructuredQuery};
use entracte_domain::value::JsonValue;

use super::specs::PAGE_USUAL;

/// A string argument, if present.
pub(super) fn text<'a>(arguments: &'a JsonValue, name: &str) -> Option<&'a str> {
    arguments.get(name).and_then(JsonValue::as_text)
}

/// A count argument, if present.
pub(super) fn count(arguments: &JsonValue, name: &str) -> Option<u64> {
    match arguments.get(name) {
        Some(JsonValue::Number(digits)) => digits.parse().ok(),
        Some(_) | None => None,
    }
}

/// The part of a structured document to return.
pub(super) fn structured_selection(arguments: &JsonValue) -> StructuredQuery {
    let list = |name: &str| match arguments.get(name) {
        Some(JsonValue::List(items)) => items.clone(),
        Some(_) | None => Vec::new(),
    };
    let size = |name: &str, usual: u64| {
        usize::try_from(count(arguments, name).unwrap_or(usual)).unwrap_or(usize::MAX)
    };
    StructuredQuery {
        pointer: String::new(),
        filters: list("filters").iter().filter_map(filter).collect(),
        fields: list("fields").iter().filter_map(JsonValue::as_text).map(str::to_owned).collect(),
        limit: size("limit", PAGE_USUAL),
        offset: size("offset", 0),
        columns: false,
    }
}

fn filter(value: &JsonValue) -> Option<FieldFilter> {
    let comparison = text(value, "op")?;
    Some(FieldFilter {
        field: text(value, "field")?.to_owned(),
        comparison: FieldComparison::from_word(comparison)?,
        value: value.get("value")?.sorted(),
    })
}
