use entracte_domain::automation::{RunCause, SkipReason};
use entracte_domain::id::{AutomationId, SessionId};
use entracte_domain::session::Phase;
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

entracte_domain::words! {
    /// The act of a person that an unfinished run waits for.
    pub enum AwaitedAct {
        /// A decision on an approval.
        Approval = "approval",
        /// The answer to a question.
        Question = "question",
        /// It is parked until somebody looks at it.
        Person = "person",
    }
}

impl AwaitedAct {
    /// What a run in this phase waits for; `None` if it works, has ended, or goes on by itself.
    pub const fn in_phase(phase: &Phase) -> Option<Self> {
        match phase {
            Phase::WaitingValidation { .. } => Some(Self::Approval),
            Phase::WaitingCommunicationResponse { .. } => Some(Self::Question),
            Phase::Parked(_) => Some(Self::Person),
            _ => None,
        }
    }
}
