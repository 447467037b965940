use std::collections::BTreeSet;

/// Some of a set of names, or all of them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum NameSet {
    /// All.
    #[default]
    All,
    /// These; none at all when there are none.
    Only(BTreeSet<String>),
}

impl NameSet {
    /// None of them.
    pub const NONE: Self = Self::Only(BTreeSet::new());

    /// These.
    pub fn from_names<'a>(names: impl IntoIterator<Item = &'a str>) -> Self {
        Self::Only(names.into_iter().map(str::to_owned).collect())
    }

    /// Whether this name is one.
    pub fn contains(&self, name: &str) -> bool {
        match self {
            NameSet::All => true,
            NameSet::Only(names) => names.contains(name),
        }
    }

    /// Those that are in both.
    #[must_use]
    pub fn intersect(&self, other: &Self) -> Self {
        match (self, other) {
            (NameSet::All, both) | (both, NameSet::All) => both.clone(),
            (NameSet::Only(one), NameSet::Only(other)) => {
                NameSet::Only(one.intersection(other).cloned().collect())
            }
        }
    }

    /// Whether all of these are in the other.
    pub fn is_within(&self, wider: &Self) -> bool {
        match (self, wider) {
            (_, NameSet::All) => true,
            (NameSet::All, NameSet::Only(_)) => false,
            (NameSet::Only(names), NameSet::Only(wider)) => names.is_subset(wider),
        }
    }
}
