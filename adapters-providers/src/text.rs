//! Small helpers for JSON text that must keep its bytes.
//!
//! A provider's blocks are sent back byte for byte, so they are cut out of an answer and glued together as
//! text and never rebuilt from parsed values.

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

/// The elements of a raw turn, when it is of `dialect` and a JSON array.
pub(crate) fn elements_of<'a>(raw: Option<&'a ProviderTurn>, dialect: &str) -> Option<Vec<&'a RawValue>> {
    let turn = raw.filter(|turn| turn.dialect == dialect)?;
    serde_json::from_str(&turn.bytes).ok()
}

/// The text as a raw JSON value; none when it is not JSON.
pub(crate) fn raw(text: &str) -> Option<Box<RawValue>> {
    serde_json::from_str(text).ok()
}

/// The text as a raw JSON object; none when it is anything else.
pub(crate) fn raw_object(text: &str) -> Option<Box<RawValue>> {
    raw(text).filter(|value| value.get().starts_with('{'))
}

/// Whether there is nothing to read in it.
pub(crate) fn is_blank(text: &str) -> bool {
    text.trim().is_empty()
}

/// Reads `null` as the type's default: servers write `null` for what they have not got.
pub(crate) fn or_default<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de> + Default,
{
    Ok(Option::<T>::deserialize(deserializer)?.unwrap_or_default())
}

/// The first `limit` characters, with a mark when there are more.
pub(crate) fn shortened(text: &str, limit: usize) -> String {
    match text.char_indices().nth(limit) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// The JSON object without fields.
pub(crate) fn empty_object() -> Box<RawValue> {
    raw("{}").unwrap_or_default()
}
