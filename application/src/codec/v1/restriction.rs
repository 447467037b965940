//! Which commands a session may ask for.

use entracte_domain::restriction::{CommandPattern, Restriction as Domain};
use serde::{Deserialize, Serialize};

use super::shape::by_hand;

/// The patterns; `*` alone is every command, and what the absence of this means.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct Restriction(Vec<String>);

impl Default for Restriction {
    fn default() -> Self {
        Self(vec![Domain::EVERY.to_owned()])
    }
}

impl Restriction {
    /// Whether every command may be asked for, which is not written.
    pub(super) fn is_open(&self) -> bool {
        matches!(self.0.as_slice(), [every] if every == Domain::EVERY)
    }
}

by_hand!(Restriction = Domain);

impl From<&Domain> for Restriction {
    fn from(restriction: &Domain) -> Self {
        match restriction {
            Domain::Open => Self::default(),
            Domain::Only(patterns) => Self(patterns.iter().map(CommandPattern::to_string).collect()),
        }
    }
}

impl From<Restriction> for Domain {
    fn from(restriction: Restriction) -> Self {
        if restriction == Restriction::default() {
            return Self::Open;
        }
        Self::Only(restriction.0.iter().map(|pattern| CommandPattern::of(pattern)).collect())
    }
}
