//! How an automation runs: what becomes of occurrences that were missed or overlap, and what holds in its runs.

use crate::session::{CompletionCheck, Profile, Rules, Unattended};
use crate::time::Millis;

/// How an automation runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Policies {
    /// What becomes of occurrences that could not run when they were due.
    pub catch_up: CatchUp,
    /// What becomes of an occurrence that is due while a run of the same automation has not ended.
    pub overlap: Overlap,
    /// What holds in its runs, where it differs from the workspace.
    pub run: RunPolicy,
}

/// What becomes of occurrences that could not run when they were due: the process was down, the slot in use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CatchUp {
    /// How late an occurrence may still begin; none: as late as may be.
    pub window: Option<Millis>,
    /// Only the latest of several due occurrences runs; the older ones are skipped.
    pub latest_only: bool,
}

impl Default for CatchUp {
    /// A day, and the latest only: who comes back after a holiday finds one report, not fourteen.
    fn default() -> Self {
        Self { window: Some(Millis::hours(24)), latest_only: true }
    }
}

crate::words! {
    "policy of overlaps";
    /// What becomes of an occurrence that is due while a run of the same automation has not ended.
    #[derive(Default)]
    pub enum Overlap {
        /// It is skipped.
        #[default]
        Skip = "skip",
        /// It waits for the run to end.
        Queue = "queue",
    }
}

/// What holds in the runs of an automation, where it differs from the workspace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct RunPolicy {
    /// The set of limits.
    pub profile: Option<Profile>,
    /// What happens to an action that needs approval.
    pub unattended: Option<Unattended>,
    /// Whether "completed" is taken at its word.
    pub completion: Option<CompletionCheck>,
}

impl RunPolicy {
    /// What holds in a copy of a session with this policy, where the workspace that it is copied into has these rules: the
    /// stricter of the two. A copy brings no rights.
    pub fn in_copy(self, workspace: &Rules) -> Self {
        let strictness = |unattended: Unattended| match unattended {
            Unattended::Allow => 0,
            Unattended::Park => 1,
            Unattended::Refuse => 2,
        };
        let is_stricter = |own: &Unattended| strictness(*own) > strictness(workspace.unattended);
        Self {
            // Every limit of the strict profile is at least as strict as that of the other one.
            profile: self.profile.filter(|own| match own {
                Profile::Strict => true,
                Profile::Autonomous => false,
            }),
            unattended: self.unattended.filter(is_stricter),
            completion: self.completion.filter(|own| match own {
                CompletionCheck::AskOnce => true,
                CompletionCheck::Trust => false,
            }),
        }
    }
}
