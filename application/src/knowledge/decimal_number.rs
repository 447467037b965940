//! Decimal numbers with all their digits, as numbers and as texts.

use entracte_domain::value::JsonValue;

use crate::json_value::ExactDecimal;

/// The number of a value; `None` if it is none.
pub(super) fn decimal(value: &JsonValue) -> Option<ExactDecimal> {
    match value {
        JsonValue::Number(number) => ExactDecimal::parse(number),
        JsonValue::Text(text) => of_text(text.trim()).or_else(|| of_text(&with_point(text.trim())?)),
        JsonValue::Null | JsonValue::Bool(_) | JsonValue::List(_) | JsonValue::Object(_) => None,
    }
}

/// A text with an exponent is a code more often than a number.
fn of_text(text: &str) -> Option<ExactDecimal> {
    if text.contains(['e', 'E']) { None } else { ExactDecimal::parse(text) }
}

/// A number with a decimal comma, with a point instead; `None` if the comma may be one of thousands.
fn with_point(text: &str) -> Option<String> {
    let (whole, part) = text.split_once(',')?;
    (part.len() != 3).then(|| format!("{whole}.{part}"))
}
