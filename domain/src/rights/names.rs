use std::collections::BTreeSet;

/// Some of a set of names, or all of them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum Names {
    /// All.
    #[default]
    All,
    /// These; none at all when there are none.
    Only(BTreeSet<String>),
}

impl Names {
    /// None of them.
    pub const NONE: Self = Self::Only(BTreeSet::new());

    /// These.
    pub fn only<'a>(names: impl IntoIterator<Item = &'a str>) -> Self {
        Self::Only(names.into_iter().map(str::to_owned).collect())
    }

    /// Whether this name is one.
    pub fn admits(&self, name: &str) -> bool {
        match self {
            Names::All => true,
            Names::Only(names) => names.contains(name),
        }
    }

    /// Those that are in both.
    #[must_use]
    pub fn meet(&self, other: &Self) -> Self {
        match (self, other) {
            (Names::All, both) | (both, Names::All) => both.clone(),
            (Names::Only(one), Names::Only(other)) => Names::Only(one.intersection(other).cloned().collect()),
        }
    }

    /// Whether all of these are in the other.
    pub fn is_within(&self, wider: &Self) -> bool {
        match (self, wider) {
            (_, Names::All) => true,
            (Names::All, Names::Only(_)) => false,
            (Names::Only(names), Names::Only(wider)) => names.is_subset(wider),
        }
    }
}
