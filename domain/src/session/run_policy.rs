//! Cause and policies of a run.

use crate::plan::PlanMode;
use crate::session::{CompletionCheck, LimitProfile, SessionRules, UnattendedPolicy};

crate::words! {
    /// The cause of an occurrence.
    pub enum RunCause {
        /// It was due by schedule.
        Scheduled = "scheduled",
        /// A person started it.
        Manual = "manual",
        /// An event was reported.
        Event = "event",
    }
}

/// Policies of an automation's runs that differ from the workspace's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct RunPolicy {
    /// Set of default limits.
    pub profile: Option<LimitProfile>,
    /// Handling of actions that need approval.
    pub unattended: Option<UnattendedPolicy>,
    /// Whether the model's "completed" counts at once.
    pub completion: Option<CompletionCheck>,
    /// Plan mode.
    pub mode: Option<PlanMode>,
}

impl RunPolicy {
    /// The policy of a copy of the session in a workspace with these rules: the stricter of both. A copy adds no
    /// rights.
    pub fn for_copy_in(self, workspace: &SessionRules) -> Self {
        let strictness = |unattended: UnattendedPolicy| match unattended {
            UnattendedPolicy::Allow => 0,
            UnattendedPolicy::Park => 1,
            UnattendedPolicy::Refuse => 2,
        };
        let is_stricter = |own: &UnattendedPolicy| strictness(*own) > strictness(workspace.unattended);
        Self {
            // Every limit of the strict profile is at least as strict as that of the other profile.
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
