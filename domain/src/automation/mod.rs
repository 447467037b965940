//! Automations: sessions that run by themselves. An automation has a seed (its messages), a trigger that says when, and
//! policies that say how. Each due instant is an occurrence and is decided exactly once: it becomes a run, or is
//! skipped with a reason.
//!
//! The application evaluates cron expressions and passes the instants in as data.

mod occurrence;
mod policies;
mod trigger;

pub use occurrence::{DueOccurrence, OccurrenceDecision, SkipReason, decide_occurrence};
pub use policies::{AutomationPolicies, CatchUpPolicy, OverlapPolicy};
pub use trigger::Trigger;

pub use crate::session::{RunCause, RunPolicy};

use crate::id::{AutomationId, SessionId};
use crate::time::Timestamp;

/// A schedule, a seed session and policies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Automation {
    /// Id of the automation.
    pub id: AutomationId,
    /// Name for people.
    pub name: String,
    /// The session that holds the messages of each run; never run itself.
    pub seed: SessionId,
    /// When the automation runs.
    pub trigger: Trigger,
    /// How the automation runs.
    pub policies: AutomationPolicies,
    /// Whether its occurrences become due.
    pub enabled: bool,
    /// Number of the current version, from 1, incremented by each edit; every run stores the version it was started
    /// from.
    pub version: u32,
    /// Why the next instant cannot be computed, in words for people; a person has to look at it.
    pub attention: Option<String>,
    /// The first occurrence that is not decided yet; `None` if there is none to come.
    pub next_at: Option<Timestamp>,
    /// When the automation was created.
    pub created_at: Timestamp,
    /// When the automation was last edited.
    pub updated_at: Timestamp,
    /// The approval that backs the policies. `None` if no person with the right to approve gave one: actions that the
    /// policies would let through then wait for a person.
    pub grant: Option<AutomationGrant>,
}

/// The approval that backs the policies of an automation: the person who gave it, and the texts it was given for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AutomationGrant {
    /// The person, who had the right to approve.
    pub author: String,
    /// When the approval was given.
    pub at: Timestamp,
    /// The seed it was given for. Another seed has other texts, which it does not cover.
    pub seed: SessionId,
    /// Versions of the instructions that the runs read at that time: name of the scope, and version.
    pub instructions: Vec<(String, u64)>,
    /// Actions that need approval are allowed.
    pub allows: bool,
    /// The runs need no approved plan, even if the workspace requires one.
    pub frees: bool,
}

impl Automation {
    /// The next occurrence to decide; `None` if the automation is switched off or needs attention.
    pub fn next_undecided_occurrence(&self) -> Option<Timestamp> {
        self.next_at.filter(|_| self.enabled && self.attention.is_none())
    }
}
