//! What is particular to a run: what it was started by, and what holds in it.

use crate::plan::PlanMode;
use crate::session::{CompletionCheck, LimitProfile, SessionRules, UnattendedPolicy};

crate::words! {
    /// What made an occurrence.
    pub enum RunCause {
        /// Its time came.
        Scheduled = "scheduled",
        /// A person asked for it.
        Manual = "manual",
        /// An event was reported.
        Event = "event",
    }
}

/// What holds in the runs of an automation, where it differs from the workspace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct RunPolicy {
    /// The set of limits.
    pub profile: Option<LimitProfile>,
    /// What happens to an action that needs approval.
    pub unattended: Option<UnattendedPolicy>,
    /// Whether "completed" is taken at its word.
    pub completion: Option<CompletionCheck>,
    /// Whether a plan comes before actions.
    pub mode: Option<PlanMode>,
}

impl RunPolicy {
    /// What holds in a copy of a session with this policy, where the workspace that it is copied into has these rules: the
    /// stricter of the two. A copy brings no rights.
    pub fn for_copy_in(self, workspace: &SessionRules) -> Self {
        let strictness = |unattended: UnattendedPolicy| match unattended {
            UnattendedPolicy::Allow => 0,
            UnattendedPolicy::Park => 1,
            UnattendedPolicy::Refuse => 2,
        };
        let is_stricter = |own: &UnattendedPolicy| strictness(*own) > strictness(workspace.unattended);
        Self {
            // Every limit of the strict profile is at least as strict as that of the other one.
            profile: self.profile.filter(|own| match own {
                LimitProfile::Strict => true,
                LimitProfile::Autonomous => false,
            }),
            unattended: self.unattended.filter(is_stricter),
            completion: self.completion.filter(|own| match own {
                CompletionCheck::AskOnce => true,
                CompletionCheck::Trust => false,
            }),
            mode: self.mode.filter(|own| match own {
                PlanMode::Plan => true,
                PlanMode::Free => false,
            }),
        }
    }
}
