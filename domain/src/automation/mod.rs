//! Automations: sessions that run by themselves. An automation has a seed (its messages), a trigger that says when,
//! and policies that say how; each due instant is an occurrence, and every occurrence is decided once: a run, or
//! skipped with its reason.
//!
//! Which instants a cron expression means is looked up by the application and comes in as data.

mod occurrence;
mod policies;
mod trigger;

pub use occurrence::{DueOccurrence, OccurrenceDecision, SkipReason, decide_occurrence};
pub use policies::{AutomationPolicies, CatchUpPolicy, OverlapPolicy};
pub use trigger::Trigger;

pub use crate::session::{RunCause, RunPolicy};

use crate::id::{AutomationId, SessionId};
use crate::time::Timestamp;

/// A schedule, a seed and policies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Automation {
    /// Its id.
    pub id: AutomationId,
    /// Name for people.
    pub name: String,
    /// The session that holds its messages; never run.
    pub seed: SessionId,
    /// When it runs.
    pub trigger: Trigger,
    /// How it runs.
    pub policies: AutomationPolicies,
    /// Whether its occurrences become due.
    pub enabled: bool,
    /// Counts its edits, from 1; each run says which one it was started from.
    pub version: u32,
    /// Why its next instant cannot be computed, in words for people: a person has to look at it.
    pub attention: Option<String>,
    /// The first occurrence that was not decided yet; none when none is to come.
    pub next_at: Option<Timestamp>,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it was edited last.
    pub updated_at: Timestamp,
    /// The yes that its policies stand for. `None` where nobody who may approve gave one: what they would let through
    /// waits for a person.
    pub grant: Option<AutomationGrant>,
}

/// The yes that the policies of an automation stand for: who gave it, and for which words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AutomationGrant {
    /// The person, who had the right to approve.
    pub author: String,
    /// When it was given.
    pub at: Timestamp,
    /// The seed that it was given for. Another one is other words.
    pub seed: SessionId,
    /// The versions of the instructions that its runs read then: the name of their scope, and the version.
    pub instructions: Vec<(String, u64)>,
    /// Actions that need approval are allowed.
    pub allows: bool,
    /// No plan comes first where the workspace wants one.
    pub frees: bool,
}

impl Automation {
    /// The occurrence that is to be decided next; none for one that is switched off or needs attention.
    pub fn next_undecided_occurrence(&self) -> Option<Timestamp> {
        self.next_at.filter(|_| self.enabled && self.attention.is_none())
    }
}
