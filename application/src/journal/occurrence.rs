use entracte_domain::automation::{RunCause, SkipReason};
use entracte_domain::id::{AutomationId, SessionId};
use entracte_domain::time::Timestamp;

/// One due instant of an automation, with its outcome.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Occurrence {
    /// The automation it belongs to.
    pub automation: AutomationId,
    /// When it was due.
    pub at: Timestamp,
    /// The cause of the run.
    pub cause: RunCause,
    /// The automation's version when it was decided.
    pub version: u32,
    /// When it was decided.
    pub decided_at: Timestamp,
    /// Whether it ran or was skipped.
    pub outcome: OccurrenceOutcome,
    /// The unfinished run because of which it was skipped; `None` for other outcomes, and in rows of earlier versions.
    pub blocked_by: Option<SessionId>,
}

/// The outcome of an occurrence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OccurrenceOutcome {
    /// It ran as this session.
    Run(SessionId),
    /// It was skipped.
    Skipped(SkipReason),
}
