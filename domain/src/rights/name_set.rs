use std::collections::BTreeSet;

/// A set of names, or all names.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum NameSet {
    /// Every name.
    #[default]
    All,
    /// Only these names; no name if the set is empty.
    Only(BTreeSet<String>),
}

impl NameSet {
    /// The empty set.
    pub const NONE: Self = Self::Only(BTreeSet::new());

    /// Creates a set of these names.
    pub fn from_names<'a>(names: impl IntoIterator<Item = &'a str>) -> Self {
        Self::Only(names.into_iter().map(str::to_owned).collect())
    }

    /// Whether the set contains this name.
    pub fn contains(&self, name: &str) -> bool {
        match self {
            NameSet::All => true,
            NameSet::Only(names) => names.contains(name),
        }
    }

    /// The intersection of both sets.
    #[must_use]
    pub fn intersect(&self, other: &Self) -> Self {
        match (self, other) {
            (NameSet::All, both) | (both, NameSet::All) => both.clone(),
            (NameSet::Only(one), NameSet::Only(other)) => {
                NameSet::Only(one.intersection(other).cloned().collect())
            }
        }
    }

    /// Whether this is a subset of the other.
    pub fn is_within(&self, wider: &Self) -> bool {
        match (self, wider) {
            (_, NameSet::All) => true,
            (NameSet::All, NameSet::Only(_)) => false,
            (NameSet::Only(names), NameSet::Only(wider)) => names.is_subset(wider),
        }
    }
}
