//! The snapshot in a session's row.

use entracte_domain::session as domain;
use serde::{Deserialize, Serialize};

use super::facts::FactsV1;
use super::phase::PhaseV1;
use super::words::WordV1;
use crate::codec::format_version::FormatVersion1Or2;
use crate::journal;

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SnapshotV1 {
    /// Present in JSON only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    v: Option<FormatVersion1Or2>,
    facts: FactsV1,
    phase: PhaseV1,
}

impl SnapshotV1 {
    /// Converts the state of a session.
    pub(crate) fn of(facts: &domain::SessionFacts, phase: &domain::Phase) -> Self {
        let mut facts = FactsV1::from(facts);
        facts.parked = phase.park_reason().map(Into::into);
        facts.end_reason = phase.end_reason().map(WordV1);
        Self { v: None, facts, phase: phase.into() }
    }

    /// Converts to the JSON form.
    pub(crate) fn in_json(self) -> Self {
        Self { v: Some(FormatVersion1Or2), ..self }
    }
}

impl From<SnapshotV1> for journal::Snapshot {
    fn from(snapshot: SnapshotV1) -> Self {
        let SnapshotV1 { v: _, mut facts, phase } = snapshot;
        // The end reason is also part of the phase.
        let parked = facts.parked.take().map(Into::into);
        Self { facts: facts.into(), phase: phase.parked(parked) }
    }
}
