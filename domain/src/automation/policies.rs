//! Policies of an automation: catch-up of missed occurrences, overlap of runs, and the rules of each run.

use crate::session::RunPolicy;
use crate::time::Millis;

/// The policies of an automation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AutomationPolicies {
    /// Handling of occurrences that could not run when they were due.
    pub catch_up: CatchUpPolicy,
    /// Handling of an occurrence that is due while a run of the same automation is unfinished.
    pub overlap: OverlapPolicy,
    /// Rules of the runs that differ from the workspace's.
    pub run: RunPolicy,
}

/// Handling of occurrences that could not run when they were due (process down, slot in use).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CatchUpPolicy {
    /// Maximum delay of an occurrence; `None` means no maximum.
    pub window: Option<Millis>,
    /// True if only the latest of several due occurrences runs and the older ones are skipped.
    pub latest_only: bool,
}

impl Default for CatchUpPolicy {
    /// A day, and the latest only: after a holiday there is one report, not fourteen.
    fn default() -> Self {
        Self { window: Some(Millis::hours(24)), latest_only: true }
    }
}

crate::words! {
    /// Handling of an occurrence that is due while a run of the same automation is unfinished.
    #[derive(Default)]
    pub enum OverlapPolicy {
        /// The occurrence is skipped.
        #[default]
        Skip = "skip",
        /// The occurrence waits for the run to end.
        Queue = "queue",
    }
}
