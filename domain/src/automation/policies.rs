//! How an automation runs: what becomes of occurrences that were missed or overlap, and what holds in its runs.

use crate::session::RunPolicy;
use crate::time::Millis;

/// How an automation runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AutomationPolicies {
    /// What becomes of occurrences that could not run when they were due.
    pub catch_up: CatchUpPolicy,
    /// What becomes of an occurrence that is due while a run of the same automation has not ended.
    pub overlap: OverlapPolicy,
    /// What holds in its runs, where it differs from the workspace.
    pub run: RunPolicy,
}

/// What becomes of occurrences that could not run when they were due: the process was down, the slot in use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CatchUpPolicy {
    /// How late an occurrence may still begin; none: as late as may be.
    pub window: Option<Millis>,
    /// Only the latest of several due occurrences runs; the older ones are skipped.
    pub latest_only: bool,
}

impl Default for CatchUpPolicy {
    /// A day, and the latest only: who comes back after a holiday finds one report, not fourteen.
    fn default() -> Self {
        Self { window: Some(Millis::hours(24)), latest_only: true }
    }
}

crate::words! {
    /// What becomes of an occurrence that is due while a run of the same automation has not ended.
    #[derive(Default)]
    pub enum OverlapPolicy {
        /// It is skipped.
        #[default]
        Skip = "skip",
        /// It waits for the run to end.
        Queue = "queue",
    }
}
