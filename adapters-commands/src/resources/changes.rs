//! Compares the fields of a row before and after a change, for descriptions.

use entracte_application::texts::{LocalizedTexts, say};

use super::call_context::ResourceCallContext;
use super::decoded_resource::{DecodedResource, DescriptionField};
use super::resource_kinds::fields;

/// The fields that differ, before and after, in the same order.
pub(crate) fn difference(
    ask: &ResourceCallContext<'_>,
    before: &DecodedResource,
    after: &DecodedResource,
) -> (Vec<DescriptionField>, Vec<DescriptionField>) {
    let (old, new) = (fields(ask, before), fields(ask, after));
    let value = |fields: &[DescriptionField], name: &str| {
        fields.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone())
    };
    let mut names: Vec<String> = old.iter().map(|(name, _)| name.clone()).collect();
    names.extend(new.iter().map(|(name, _)| name.clone()).filter(|name| value(&old, name).is_none()));
    names.retain(|name| value(&old, name) != value(&new, name));
    let side = |fields: &[DescriptionField]| {
        let nothing = || say!(ask.texts, "resources-none");
        let shown = |name: &String| (name.clone(), value(fields, name).unwrap_or_else(nothing));
        names.iter().map(shown).collect()
    };
    (side(&old), side(&new))
}

/// The names of the changed fields, for a sentence.
pub(crate) fn names(texts: &LocalizedTexts, changed: &[DescriptionField]) -> String {
    let names: Vec<String> = changed.iter().map(|(name, _)| texts.field(name)).collect();
    if names.is_empty() { say!(texts, "resources-nothing") } else { names.join(", ") }
}

/// The warning when the approval flag of a row of this `kind` changes.
pub(crate) fn validation_warning(
    texts: &LocalizedTexts,
    kind: &str,
    before: &DecodedResource,
    after: &DecodedResource,
) -> Option<String> {
    match (before.flag("require_validation"), after.flag("require_validation")) {
        (true, false) => Some(say!(texts, "resources-warn-approval-off", kind = kind)),
        (false, true) => Some(say!(texts, "resources-warn-approval-on", kind = kind)),
        (true, true) | (false, false) => None,
    }
}
