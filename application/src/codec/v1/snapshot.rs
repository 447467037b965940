//! A session's row.

use serde::{Deserialize, Serialize};

use super::facts::Facts;
use super::phase::Phase;
use crate::codec::version::UpTo2;
use crate::journal;

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Snapshot {
    v: UpTo2,
    facts: Facts,
    phase: Phase,
}

impl From<&journal::Snapshot> for Snapshot {
    fn from(snapshot: &journal::Snapshot) -> Self {
        let journal::Snapshot { facts, phase } = snapshot;
        Self { v: UpTo2, facts: Facts::of(facts, phase), phase: phase.into() }
    }
}

impl From<Snapshot> for journal::Snapshot {
    fn from(snapshot: Snapshot) -> Self {
        let (facts, parked) = snapshot.facts.parts();
        Self { facts, phase: snapshot.phase.parked(parked) }
    }
}
