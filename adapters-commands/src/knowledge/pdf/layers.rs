//! The layers (optional content groups) of a PDF that its viewers do not show.

use std::collections::HashSet;

use hayro_font::hayro_syntax::object::{Array, Dict, Name, ObjectIdentifier};

/// The optional content groups that are off when the document is opened.
#[derive(Default)]
pub(super) struct HiddenLayers(HashSet<ObjectIdentifier>);

impl HiddenLayers {
    pub(super) fn of_catalog(catalog: &Dict<'_>) -> Self {
        let mut hidden = HashSet::new();
        let Some(properties) = catalog.get::<Dict<'_>>("OCProperties") else { return Self(hidden) };
        let Some(config) = properties.get::<Dict<'_>>("D") else { return Self(hidden) };
        if config.get::<Name<'_>>("BaseState").is_some_and(|state| state.as_ref() == b"OFF") {
            hidden.extend(groups(properties.get("OCGs").as_ref()));
            for shown in groups(config.get("ON").as_ref()) {
                hidden.remove(&shown);
            }
        }
        hidden.extend(groups(config.get("OFF").as_ref()));
        Self(hidden)
    }

    /// Whether an entry of a dictionary names a hidden group, or a membership of which all groups are hidden.
    pub(super) fn hides(&self, of: &Dict<'_>, key: &[u8]) -> bool {
        if self.0.is_empty() {
            return false;
        }
        if of.get_ref(key).is_some_and(|group| self.0.contains(&group.into())) {
            return true;
        }
        let Some(membership) = of.get::<Dict<'_>>(key) else { return false };
        if let Some(group) = membership.get_ref("OCGs") {
            return self.0.contains(&group.into());
        }
        let groups = groups(membership.get("OCGs").as_ref());
        !groups.is_empty() && groups.iter().all(|group| self.0.contains(group))
    }
}

fn groups(array: Option<&Array<'_>>) -> Vec<ObjectIdentifier> {
    array.into_iter().flat_map(Array::raw_iter).filter_map(|item| item.as_obj_ref()).map(Into::into).collect()
}
