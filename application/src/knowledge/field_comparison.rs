//! Comparison of field values in filters.

use std::cmp::Ordering;

use serde_json::{Number, Value};

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
pub(super) fn matches_filter(found: Option<&Value>, comparison: FieldComparison, wanted: &Value) -> bool {
    match comparison {
        FieldComparison::Eq => equal(found, wanted),
        FieldComparison::Ne => !equal(found, wanted),
        FieldComparison::Lt => order(found, wanted).is_some_and(Ordering::is_lt),
        FieldComparison::Le => order(found, wanted).is_some_and(Ordering::is_le),
        FieldComparison::Gt => order(found, wanted).is_some_and(Ordering::is_gt),
        FieldComparison::Ge => order(found, wanted).is_some_and(Ordering::is_ge),
        FieldComparison::In => match wanted {
            Value::Array(values) => values.iter().any(|value| equal(found, value)),
            other => equal(found, other),
        },
        FieldComparison::Contains => contains(found, wanted),
    }
}

/// Whether a comparison by order has no answer, because the values are of different kinds.
pub(super) fn is_incomparable(found: &Value, comparison: FieldComparison, wanted: &Value) -> bool {
    match comparison {
        FieldComparison::Lt | FieldComparison::Le | FieldComparison::Gt | FieldComparison::Ge => {
            !found.is_null() && order(Some(found), wanted).is_none()
        }
        FieldComparison::Eq | FieldComparison::Ne | FieldComparison::In | FieldComparison::Contains => false,
    }
}

/// Equality, where a number equals its text, because a table contains only texts.
fn equal(found: Option<&Value>, wanted: &Value) -> bool {
    match (found, wanted) {
        (None | Some(Value::Null), Value::Null) => true,
        (Some(one), other) if one == other => true,
        (
            Some(one @ (Value::Number(_) | Value::String(_))),
            other @ (Value::Number(_) | Value::String(_)),
        ) if one.is_number() || other.is_number() => {
            matches!((decimal(one), decimal(other)), (Some(one), Some(other)) if compare(&one, &other).is_eq())
        }
        (Some(Value::Bool(truth)), Value::String(text)) | (Some(Value::String(text)), Value::Bool(truth)) => {
            text.eq_ignore_ascii_case(if *truth { "true" } else { "false" })
        }
        (Some(_) | None, _) => false,
    }
}

/// Orders numbers by value and texts lexically, which is correct for ISO 8601 dates.
fn order(found: Option<&Value>, wanted: &Value) -> Option<Ordering> {
    let found = found?;
    match (decimal(found), decimal(wanted)) {
        (Some(one), Some(other)) => return Some(compare(&one, &other)),
        // As words, every number would come before or after.
        (Some(_), None) | (None, Some(_)) => return None,
        (None, None) => {}
    }
    match (found, wanted) {
        (Value::String(one), Value::String(other)) => Some(one.to_lowercase().cmp(&other.to_lowercase())),
        _ => None,
    }
}

/// Contains a text in a text, ignoring case; a value in a list; a key in an object.
fn contains(found: Option<&Value>, wanted: &Value) -> bool {
    match (found, wanted) {
        (Some(Value::Array(items)), wanted) => {
            items.iter().any(|item| equal(Some(item), wanted) || contains(Some(item), wanted))
        }
        (Some(Value::Object(fields)), Value::String(key)) => fields.contains_key(key),
        (Some(Value::String(text)), Value::String(part)) => {
            text.to_lowercase().contains(&part.to_lowercase())
        }
        (Some(Value::String(text)), Value::Number(part)) => text.contains(&part.to_string()),
        (Some(Value::Number(number)), Value::String(part)) => number.to_string().contains(part.as_str()),
        (Some(_) | None, _) => false,
    }
}

/// A decimal number: its sign, and its digits before and after the point without insignificant zeros.
struct DecimalNumber {
    negative: bool,
    whole: String,
    part: String,
}

fn decimal(value: &Value) -> Option<DecimalNumber> {
    match value {
        Value::Number(number) => of_number(number),
        Value::String(text) => of_text(text.trim()).or_else(|| of_text(&with_point(text.trim())?)),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    }
}

/// A number with a decimal comma, with a point instead; `None` if the comma may be one of thousands.
fn with_point(text: &str) -> Option<String> {
    let (whole, part) = text.split_once(',')?;
    (part.len() != 3).then(|| format!("{whole}.{part}"))
}

/// A number with an exponent is converted as a float.
fn of_number(number: &Number) -> Option<DecimalNumber> {
    let text = number.to_string();
    of_text(&text).or_else(|| {
        let float: f64 = text.parse().ok()?;
        float.is_finite().then(|| format!("{float}")).and_then(|text| of_text(&text))
    })
}

fn of_text(text: &str) -> Option<DecimalNumber> {
    let (negative, digits) = text.strip_prefix('-').map_or((false, text), |digits| (true, digits));
    let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
    let are_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || !are_digits(whole) || !are_digits(part) || digits.ends_with('.') {
        return None;
    }
    let (whole, part) = (whole.trim_start_matches('0').to_owned(), part.trim_end_matches('0').to_owned());
    Some(DecimalNumber { negative: negative && !(whole.is_empty() && part.is_empty()), whole, part })
}

fn compare(one: &DecimalNumber, other: &DecimalNumber) -> Ordering {
    let size = || {
        one.whole
            .len()
            .cmp(&other.whole.len())
            .then_with(|| one.whole.cmp(&other.whole))
            .then_with(|| one.part.cmp(&other.part))
    };
    match (one.negative, other.negative) {
        (false, false) => size(),
        (true, true) => size().reverse(),
        (true, false) => Ordering::Less,
        (false, true) => Ordering::Greater,
    }
}
