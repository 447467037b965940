//! The commands a session may request.

use entracte_domain::restriction::{CommandPattern, Restriction as Domain};
use serde::{Deserialize, Serialize};

use super::shape::by_hand;

/// The patterns; `*` alone means every command, which is also the meaning of an absent restriction.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct RestrictionV1(Vec<String>);

impl Default for RestrictionV1 {
    fn default() -> Self {
        Self(vec![Domain::EVERY.to_owned()])
    }
}

impl RestrictionV1 {
    /// Whether every command is allowed; such a restriction is not written.
    pub(super) fn is_open(&self) -> bool {
        matches!(self.0.as_slice(), [every] if every == Domain::EVERY)
    }
}

by_hand!(RestrictionV1 = Domain);

impl From<&Domain> for RestrictionV1 {
    fn from(restriction: &Domain) -> Self {
        match restriction {
            Domain::Open => Self::default(),
            Domain::Only(patterns) => Self(patterns.iter().map(CommandPattern::to_string).collect()),
        }
    }
}

impl From<RestrictionV1> for Domain {
    fn from(restriction: RestrictionV1) -> Self {
        if restriction == RestrictionV1::default() {
            return Self::Open;
        }
        Self::Only(restriction.0.iter().map(|pattern| CommandPattern::from_text(pattern)).collect())
    }
}
