//! A session's row.

use entracte_domain::session as domain;
use serde::{Deserialize, Serialize};

use super::facts::Facts;
use super::phase::Phase;
use super::words::Word;
use crate::codec::version::UpTo2;
use crate::journal;

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Snapshot {
    /// In JSON.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    v: Option<UpTo2>,
    facts: Facts,
    phase: Phase,
}

impl Snapshot {
    /// The form of a session that stands so.
    pub(crate) fn of(facts: &domain::SessionFacts, phase: &domain::Phase) -> Self {
        let mut facts = Facts::from(facts);
        facts.parked = phase.parked().map(Into::into);
        facts.end_reason = phase.end_reason().map(Word);
        Self { v: None, facts, phase: phase.into() }
    }

    /// As it stands in JSON.
    pub(crate) fn in_json(self) -> Self {
        Self { v: Some(UpTo2), ..self }
    }
}

impl From<Snapshot> for journal::Snapshot {
    fn from(snapshot: Snapshot) -> Self {
        let Snapshot { v: _, mut facts, phase } = snapshot;
        // Why it ended stands in the phase, too.
        let parked = facts.parked.take().map(Into::into);
        Self { facts: facts.into(), phase: phase.parked(parked) }
    }
}
