//! Words that the descriptions share.

use super::rows::{Field, Row, fields};

/// “1 entry”, “3 entries”.
pub(crate) fn counted(count: u64, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// What differs between two forms of a row: the fields before and after, in the same order.
pub(crate) fn difference(before: &Row, after: &Row) -> (Vec<Field>, Vec<Field>) {
    let (old, new) = (fields(before), fields(after));
    let value = |fields: &[Field], name: &str| {
        fields.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone())
    };
    let mut names: Vec<String> = old.iter().map(|(name, _)| name.clone()).collect();
    names.extend(new.iter().map(|(name, _)| name.clone()).filter(|name| value(&old, name).is_none()));
    names.retain(|name| value(&old, name) != value(&new, name));
    let side = |fields: &[Field]| {
        let shown = |name: &String| (name.clone(), value(fields, name).unwrap_or_else(|| NOTHING.to_owned()));
        names.iter().map(shown).collect()
    };
    (side(&old), side(&new))
}

/// The names of what differs, for a sentence.
pub(crate) fn names(changed: &[Field]) -> String {
    let names: Vec<&str> = changed.iter().map(|(name, _)| name.as_str()).collect();
    if names.is_empty() { "nothing".to_owned() } else { names.join(", ") }
}

/// The warning when a flag that asks for leave changes.
pub(crate) fn validation_warning(kind: &str, before: &Row, after: &Row) -> Option<String> {
    match (before.flag("require_validation"), after.flag("require_validation")) {
        (true, false) => Some(format!("turns off the leave that this {kind} asks for")),
        (false, true) => Some(format!("every action in this {kind} will ask for leave")),
        (true, true) | (false, false) => None,
    }
}

/// Text cut for a sentence; the whole of it stands in the fields.
pub(crate) fn short(text: &str) -> String {
    if text.chars().count() <= MOST_CHARS {
        return text.to_owned();
    }
    let kept: String = text.chars().take(MOST_CHARS).collect();
    format!("{kept}…")
}

/// A field that is not set.
const NOTHING: &str = "(none)";
/// Characters of a value inside a sentence.
const MOST_CHARS: usize = 80;
