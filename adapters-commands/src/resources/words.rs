//! Words that the descriptions share.

use entracte_application::texts::{Texts, say};

use super::ask::Ask;
use super::rows::{Field, Row, fields};

/// What differs between two forms of a row: the fields before and after, in the same order.
pub(crate) fn difference(ask: &Ask<'_>, before: &Row, after: &Row) -> (Vec<Field>, Vec<Field>) {
    let (old, new) = (fields(ask, before), fields(ask, after));
    let value = |fields: &[Field], name: &str| {
        fields.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone())
    };
    let mut names: Vec<String> = old.iter().map(|(name, _)| name.clone()).collect();
    names.extend(new.iter().map(|(name, _)| name.clone()).filter(|name| value(&old, name).is_none()));
    names.retain(|name| value(&old, name) != value(&new, name));
    let side = |fields: &[Field]| {
        let nothing = || say!(ask.texts, "resources-none");
        let shown = |name: &String| (name.clone(), value(fields, name).unwrap_or_else(nothing));
        names.iter().map(shown).collect()
    };
    (side(&old), side(&new))
}

/// The names of what differs, for a sentence.
pub(crate) fn names(texts: &Texts, changed: &[Field]) -> String {
    let names: Vec<String> = changed.iter().map(|(name, _)| texts.field(name)).collect();
    if names.is_empty() { say!(texts, "resources-nothing") } else { names.join(", ") }
}

/// The warning when a flag that asks for approval changes; `kind` is that of the row.
pub(crate) fn validation_warning(texts: &Texts, kind: &str, before: &Row, after: &Row) -> Option<String> {
    match (before.flag("require_validation"), after.flag("require_validation")) {
        (true, false) => Some(say!(texts, "resources-warn-approval-off", kind = kind)),
        (false, true) => Some(say!(texts, "resources-warn-approval-on", kind = kind)),
        (true, true) | (false, false) => None,
    }
}

/// “yes” or “no”.
pub(crate) fn truth(texts: &Texts, truth: bool) -> String {
    if truth { say!(texts, "resources-yes") } else { say!(texts, "resources-no") }
}

/// Text cut for a sentence; the fields show all of it.
pub(crate) fn short(text: &str) -> String {
    if text.chars().count() <= MOST_CHARS {
        return text.to_owned();
    }
    let kept: String = text.chars().take(MOST_CHARS).collect();
    format!("{kept}…")
}

/// The first [`MOST_SAID`] of some things, and how many more there are.
pub(crate) fn first_of(texts: &Texts, all: impl ExactSizeIterator<Item = String>) -> String {
    let left = all.len().saturating_sub(MOST_SAID);
    let mut parts: Vec<String> = all.take(MOST_SAID).collect();
    if left > 0 {
        parts.push(say!(texts, "resources-more", count = left));
    }
    joined(texts, parts.into_iter())
}

/// Some things one after the other.
pub(crate) fn joined(texts: &Texts, parts: impl Iterator<Item = String>) -> String {
    parts
        .reduce(|first, next| say!(texts, "resources-joined", first = first, next = next))
        .unwrap_or_default()
}

/// Characters of a value inside a sentence.
const MOST_CHARS: usize = 80;
/// Entries named in a sentence; the fields name all.
const MOST_SAID: usize = 5;
