//! Decimal numbers with all their digits, as numbers and as texts.

use std::cmp::Ordering;

use serde_json::{Number, Value};

/// A decimal number: its sign, and its digits before and after the point without insignificant zeros.
pub(super) struct DecimalNumber {
    negative: bool,
    whole: String,
    part: String,
}

/// The number of a value; `None` if it is none.
pub(super) fn decimal(value: &Value) -> Option<DecimalNumber> {
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

/// Orders two numbers by value.
pub(super) fn compare(one: &DecimalNumber, other: &DecimalNumber) -> Ordering {
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
