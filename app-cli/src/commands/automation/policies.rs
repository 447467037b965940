//! The run policies of an automation, from the command line.

use entracte_application::texts::LocalizedTexts;
use entracte_application::use_cases::PolicyUpdate;
use entracte_domain::automation::OverlapPolicy;
use entracte_domain::plan::PlanMode;
use entracte_domain::session::{CompletionCheck, LimitProfile, UnattendedPolicy};

use super::trigger::length;
use crate::args::{CompletionName, OverlapName, PolicyArgs, ProfileName, RunModeName, UnattendedName};
use crate::error::CliError;

/// The word for an unlimited window.
const UNLIMITED: &str = "unlimited";

/// Reads the policies that the flags change.
pub(super) fn read(
    args: &PolicyArgs,
    latest_only: bool,
    texts: &LocalizedTexts,
) -> Result<PolicyUpdate, CliError> {
    let window = match args.catch_up.as_deref().map(str::trim) {
        None => None,
        Some(UNLIMITED) => Some(None),
        Some(text) => Some(Some(length("--catch-up", text, texts)?)),
    };
    let latest_only = if args.all_missed { Some(false) } else { latest_only.then_some(true) };
    Ok(PolicyUpdate {
        window,
        latest_only,
        overlap: args.overlap.map(|name| match name {
            OverlapName::Skip => OverlapPolicy::Skip,
            OverlapName::Queue => OverlapPolicy::Queue,
        }),
        profile: args.profile.map(|name| match name {
            ProfileName::Strict => Some(LimitProfile::Strict),
            ProfileName::Autonomous => Some(LimitProfile::Autonomous),
            ProfileName::Workspace => None,
        }),
        unattended: args.unattended.map(|name| match name {
            UnattendedName::Park => Some(UnattendedPolicy::Park),
            UnattendedName::Refuse => Some(UnattendedPolicy::Refuse),
            UnattendedName::Allow => Some(UnattendedPolicy::Allow),
            UnattendedName::Configured => None,
        }),
        completion: args.completion.map(|name| match name {
            CompletionName::Trust => Some(CompletionCheck::Trust),
            CompletionName::AskOnce => Some(CompletionCheck::AskOnce),
            CompletionName::Configured => None,
        }),
        mode: args.mode.map(|name| match name {
            RunModeName::Free => Some(PlanMode::Free),
            RunModeName::Plan => Some(PlanMode::Plan),
            RunModeName::Workspace => None,
        }),
    })
}
