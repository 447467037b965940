//! Which commands a session may ask for.

use entracte_domain::gate::{CommandPattern, Gate as Domain};
use serde::{Deserialize, Serialize};

/// The patterns; `*` alone is every command, and what the absence of this means.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct Gate(Vec<String>);

impl Default for Gate {
    fn default() -> Self {
        Self(vec![Domain::EVERY.to_owned()])
    }
}

impl From<&Domain> for Gate {
    fn from(gate: &Domain) -> Self {
        match gate {
            Domain::Open => Self::default(),
            Domain::Only(patterns) => Self(patterns.iter().map(CommandPattern::to_string).collect()),
        }
    }
}

impl From<Gate> for Domain {
    fn from(gate: Gate) -> Self {
        if gate == Gate::default() {
            return Self::Open;
        }
        Self::Only(gate.0.iter().map(|pattern| CommandPattern::of(pattern)).collect())
    }
}
