//! The run policies of an automation, from the command line.

use entracte_adapters_http::shapes::automation_edit::PoliciesEditShape;
use entracte_application::texts::LocalizedTexts;
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
) -> Result<PoliciesEditShape, CliError> {
    let window = match args.catch_up.as_deref().map(str::trim) {
        None => None,
        Some(UNLIMITED) => Some(None),
        Some(text) => Some(Some(length("--catch-up", text, texts)?.0)),
    };
    let latest_only = if args.all_missed { Some(false) } else { latest_only.then_some(true) };
    let overlap = args.overlap.map(|name| match name {
        OverlapName::Skip => OverlapPolicy::Skip,
        OverlapName::Queue => OverlapPolicy::Queue,
    });
    let profile = args.profile.map(|name| match name {
        ProfileName::Strict => Some(LimitProfile::Strict.word()),
        ProfileName::Autonomous => Some(LimitProfile::Autonomous.word()),
        ProfileName::Workspace => None,
    });
    let unattended = args.unattended.map(|name| match name {
        UnattendedName::Park => Some(UnattendedPolicy::Park.word()),
        UnattendedName::Refuse => Some(UnattendedPolicy::Refuse.word()),
        UnattendedName::Allow => Some(UnattendedPolicy::Allow.word()),
        UnattendedName::Configured => None,
    });
    let completion = args.completion.map(|name| match name {
        CompletionName::Trust => Some(CompletionCheck::Trust.word()),
        CompletionName::AskOnce => Some(CompletionCheck::AskOnce.word()),
        CompletionName::Configured => None,
    });
    let mode = args.mode.map(|name| match name {
        RunModeName::Free => Some(PlanMode::Free.word()),
        RunModeName::Plan => Some(PlanMode::Plan.word()),
        RunModeName::Workspace => None,
    });
    let owned = |word: Option<&'static str>| word.map(str::to_owned);
    Ok(PoliciesEditShape {
        catch_up_ms: window,
        latest_only,
        overlap: overlap.map(|policy| policy.word().to_owned()),
        profile: profile.map(owned),
        unattended: unattended.map(owned),
        completion: completion.map(owned),
        mode: mode.map(owned),
    })
}
