//! Helpers for JSON text that must stay byte-identical.
//!
//! A provider's blocks are sent back byte for byte, so they are cut out of an answer and joined as text, never rebuilt
//! from parsed values.

use std::borrow::Cow;

use entracte_application::json_value::{JsonTokens, has_numbers_in_range, parse_foreign};
use entracte_domain::message::ProviderTurn;
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

/// A JSON array of these elements, each byte for byte.
pub(crate) fn array_of(elements: &[Box<RawValue>]) -> String {
    let mut array = String::from("[");
    for (index, element) in elements.iter().enumerate() {
        if index > 0 {
            array.push(',');
        }
        array.push_str(element.get());
    }
    array.push(']');
    array
}

/// The elements of a raw turn, if it is of `dialect` and a JSON array.
pub(crate) fn elements_of<'a>(raw: Option<&'a ProviderTurn>, dialect: &str) -> Option<Vec<&'a RawValue>> {
    let turn = raw.filter(|turn| turn.dialect == dialect)?;
    serde_json::from_str(&turn.bytes).ok()
}

/// The text as a raw JSON value; `None` if it is not JSON.
pub(crate) fn raw(text: &str) -> Option<Box<RawValue>> {
    serde_json::from_str(text).ok()
}

/// The text as a raw JSON object that can be embedded in another; `None` if it is anything else.
pub(crate) fn raw_object(text: &str) -> Option<Box<RawValue>> {
    // Raw values are not parsed: a number outside the range of a double would pass.
    let is_readable = |text: &str| parse_foreign(text).is_ok_and(|value| has_numbers_in_range(&value));
    let can_be_sent = |text: &str| text.starts_with('{') && is_flat(text) && is_readable(text);
    raw(text).filter(|value| can_be_sent(value.get()))
}

/// Whether JSON is nested shallowly enough; otherwise server parsers refuse this body and all later ones that contain
/// it.
fn is_flat(json: &str) -> bool {
    let mut depth = 0_usize;
    JsonTokens::new(json).all(|token| {
        match token.text {
            "{" | "[" => depth += 1,
            "}" | "]" => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth <= NESTING_MAX
    })
}

/// Most nesting levels of a model's output. Common parsers accept 128 for a whole body.
const NESTING_MAX: usize = 64;

/// The break between two texts of one answer that are no parts of one sentence; none beside a line break of their own.
pub(crate) fn paragraph_break(before: &str, next: &str) -> &'static str {
    if before.is_empty() || before.ends_with('\n') || next.starts_with('\n') { "" } else { "\n\n" }
}

/// Whether the text is empty or whitespace.
pub(crate) fn is_blank(text: &str) -> bool {
    text.trim().is_empty()
}

/// Deserializes a field that is present, including `null`.
pub(crate) fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Box<RawValue>>, D::Error> {
    Box::deserialize(deserializer).map(Some)
}

/// Deserializes `null` as the type's default, because servers write `null` for missing values.
pub(crate) fn or_default<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de> + Default,
{
    Ok(Option::<T>::deserialize(deserializer)?.unwrap_or_default())
}

/// Deserializes text; any other value becomes the empty text.
pub(crate) fn text_or_none<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let text = match serde_json::Value::deserialize(deserializer)? {
        serde_json::Value::String(text) => text,
        _ => String::new(),
    };
    Ok(text)
}

/// The first `limit` characters, with a mark if there are more.
pub(crate) fn shortened(text: &str, limit: usize) -> String {
    match text.char_indices().nth(limit) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// A JSON object without fields.
pub(crate) fn empty_object() -> Box<RawValue> {
    raw("{}").unwrap_or_default()
}

/// The arguments of a call as text for a later request. Servers and templates of local models parse them as an object;
/// arguments that were not one become empty, and the call's result reports the error.
pub(crate) fn arguments(arguments: &str) -> &str {
    if raw_object(arguments).is_some() { arguments } else { "{}" }
}

/// The content of a result for a server without an error field: the text reports the error instead.
pub(crate) fn result_content(content: &str, is_error: bool) -> Cow<'_, str> {
    if is_error { format!("Error: {content}").into() } else { content.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unreadable_object_is_not_sent() {
        let nested = |depth: usize| format!("{}1{}", "{\"a\":".repeat(depth), "}".repeat(depth));
        assert!(raw_object(&nested(NESTING_MAX)).is_some());
        assert!(raw_object(&nested(NESTING_MAX + 1)).is_none());
        let quoted = format!(r#"{{"a":"\"{}"}}"#, "[".repeat(500));
        assert!(raw_object(&quoted).is_some(), "brackets in a text nest nothing");
        assert!(raw_object("[1]").is_none());
        assert!(raw_object(r#"{"a":1e999}"#).is_none(), "no machine number");
    }
}
