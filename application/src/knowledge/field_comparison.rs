//! Comparison of field values in filters.

use std::cmp::Ordering;

use entracte_domain::value::JsonValue;

use super::column_notation::{ColumnNotation, ColumnValues};
use super::decimal_number::decimal;

entracte_domain::words! {
    /// How a field is compared.
    pub enum FieldComparison {
        /// Equal to the value.
        Eq = "eq",
        /// Not equal to the value, or missing.
        Ne = "ne",
        /// Less than the value.
        Lt = "lt",
        /// Less than or equal to the value.
        Le = "le",
        /// Greater than the value.
        Gt = "gt",
        /// Greater than or equal to the value.
        Ge = "ge",
        /// Equal to one of the values.
        In = "in",
        /// Contains the value: a text in a text, a value in a list, a key in an object.
        Contains = "contains",
    }
}

/// Whether a field's value matches a filter. A missing field differs from every value and matches no other comparison.
pub(super) fn matches_filter(
    found: Option<&JsonValue>,
    comparison: FieldComparison,
    wanted: &JsonValue,
    column: &ColumnValues,
) -> bool {
    let order = || typed_order(found, wanted, column);
    let equals = |wanted: &JsonValue| {
        let means_same = || typed_order(found, wanted, column).is_some_and(Ordering::is_eq);
        let number = found.map(|found| column.number_with_point(found));
        equal(number.as_deref(), &column.number_with_point(wanted)) || (column.has_variants() && means_same())
    };
    match comparison {
        FieldComparison::Eq => equals(wanted),
        FieldComparison::Ne => !equals(wanted),
        FieldComparison::Lt => order().is_some_and(Ordering::is_lt),
        FieldComparison::Le => order().is_some_and(Ordering::is_le),
        FieldComparison::Gt => order().is_some_and(Ordering::is_gt),
        FieldComparison::Ge => order().is_some_and(Ordering::is_ge),
        FieldComparison::In => match wanted {
            JsonValue::List(values) => values.iter().any(equals),
            other => equals(other),
        },
        FieldComparison::Contains => contains(found, wanted),
    }
}

/// Whether a comparison has no answer, because the values are of different kinds, or because the column does not tell
/// which date is meant.
pub(super) fn is_incomparable(
    found: &JsonValue,
    comparison: FieldComparison,
    wanted: &JsonValue,
    column: &ColumnValues,
) -> bool {
    match comparison {
        FieldComparison::Lt | FieldComparison::Le | FieldComparison::Gt | FieldComparison::Ge => {
            *found != JsonValue::Null && typed_order(Some(found), wanted, column).is_none()
        }
        FieldComparison::Eq | FieldComparison::Ne => column.cannot_tell_equality(found, wanted),
        FieldComparison::In => match wanted {
            JsonValue::List(values) => values.iter().any(|value| column.cannot_tell_equality(found, value)),
            other => column.cannot_tell_equality(found, other),
        },
        FieldComparison::Contains => false,
    }
}

/// Equality, where a number equals its text, because a table contains only texts.
fn equal(found: Option<&JsonValue>, wanted: &JsonValue) -> bool {
    match (found, wanted) {
        (None | Some(JsonValue::Null), JsonValue::Null) => true,
        (Some(one), other) if one == other => true,
        (
            Some(one @ (JsonValue::Number(_) | JsonValue::Text(_))),
            other @ (JsonValue::Number(_) | JsonValue::Text(_)),
        ) if is_number(one) || is_number(other) => {
            matches!((decimal(one), decimal(other)), (Some(one), Some(other)) if one == other)
        }
        (Some(JsonValue::Bool(truth)), JsonValue::Text(text))
        | (Some(JsonValue::Text(text)), JsonValue::Bool(truth)) => {
            text.eq_ignore_ascii_case(if *truth { "true" } else { "false" })
        }
        (Some(_) | None, _) => false,
    }
}

fn is_number(value: &JsonValue) -> bool {
    matches!(value, JsonValue::Number(_))
}

/// Orders two values by what they mean in the notation of their column.
fn typed_order(found: Option<&JsonValue>, wanted: &JsonValue, column: &ColumnValues) -> Option<Ordering> {
    let (found, wanted) = column.comparable(found?, wanted)?;
    match (&column.notation, &*found, &*wanted) {
        // A year alone would be a number.
        (ColumnNotation::Dates(_), JsonValue::Text(one), JsonValue::Text(other)) => Some(one.cmp(other)),
        _ => order(Some(&found), &wanted),
    }
}

/// Orders numbers by value and texts lexically, which is correct for ISO 8601 dates.
fn order(found: Option<&JsonValue>, wanted: &JsonValue) -> Option<Ordering> {
    let found = found?;
    match (decimal(found), decimal(wanted)) {
        (Some(one), Some(other)) => return Some(one.cmp(&other)),
        // As words, every number would come before or after.
        (Some(_), None) | (None, Some(_)) => return None,
        (None, None) => {}
    }
    match (found, wanted) {
        (JsonValue::Text(one), JsonValue::Text(other)) => Some(one.to_lowercase().cmp(&other.to_lowercase())),
        _ => None,
    }
}

/// Contains a text in a text, ignoring case; a value in a list; a key in an object.
fn contains(found: Option<&JsonValue>, wanted: &JsonValue) -> bool {
    match (found, wanted) {
        (Some(JsonValue::List(items)), wanted) => {
            items.iter().any(|item| equal(Some(item), wanted) || contains(Some(item), wanted))
        }
        (Some(JsonValue::Object(fields)), JsonValue::Text(key)) => fields.iter().any(|(name, _)| name == key),
        (Some(JsonValue::Text(text)), JsonValue::Text(part)) => {
            text.to_lowercase().contains(&part.to_lowercase())
        }
        (Some(JsonValue::Text(text)), JsonValue::Number(part)) => text.contains(part.as_str()),
        (Some(JsonValue::Number(number)), JsonValue::Text(part)) => number.contains(part.as_str()),
        (Some(_) | None, _) => false,
    }
}
