use entracte_domain::automation::{RunCause, SkipReason};
use entracte_domain::id::{AutomationId, SessionId};
use entracte_domain::time::Timestamp;

/// One due instant of an automation, and what became of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Occurrence {
    /// The automation.
    pub automation: AutomationId,
    /// The instant.
    pub at: Timestamp,
    /// What made it.
    pub cause: RunCause,
    /// The automation's version when it was decided.
    pub version: u32,
    /// When it was decided.
    pub decided_at: Timestamp,
    /// What became of it.
    pub outcome: OccurrenceOutcome,
}

/// What became of an occurrence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OccurrenceOutcome {
    /// It ran, as this session.
    Run(SessionId),
    /// It was skipped.
    Skipped(SkipReason),
}
