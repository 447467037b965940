//! The model of permissions: who may set what stands for a yes, and which words such a yes covers. Pure; everything that
//! changes a policy asks it, and so does everything that begins under one.
//!
//! What stands above an automation or a session (the configuration and the settings of the workspace) may be tightened by
//! anybody who may change it, and loosened only by whoever may approve. A `refuse` of the configuration is never loosened.
//! A yes in advance is recorded with its author and covers the words that it was given for: nobody gets by two steps what
//! one step refuses.

use entracte_domain::automation::{Automation, AutomationGrant, RunPolicy};
use entracte_domain::id::SessionId;
use entracte_domain::plan::PlanMode;
use entracte_domain::restriction::Restriction;
use entracte_domain::session::{SessionRules, UnattendedPolicy};
use entracte_domain::time::Timestamp;
use entracte_domain::validation::{PolicyAuthor, PolicyGrant};

use crate::instructions::InstructionVersion;
use crate::settings::{SessionMode, WorkspaceSettings};

#[cfg(test)]
mod tests;

/// Who asks for a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChangeRequester<'a> {
    /// The person.
    pub person: &'a str,
    /// Whether they may say yes: they have the scope `approve`.
    pub may_approve: bool,
}

/// What stands above an automation or a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InheritedPolicy {
    /// What happens to an action that needs approval when nobody watches.
    pub unattended: UnattendedPolicy,
    /// Whether a plan comes before actions.
    pub mode: PlanMode,
}

impl InheritedPolicy {
    /// What the rules of the workspace say.
    pub fn from_rules(rules: &SessionRules) -> Self {
        Self { unattended: rules.unattended, mode: rules.mode }
    }
}

/// Why a change is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PermissionError {
    /// It loosens something, or says yes in advance, and who asks for it may not approve.
    NeedsApprove,
    /// The configuration refuses what nobody can approve.
    ConfigurationRefuses,
}

/// What an automation stands for, as far as it is a matter of permission.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AutomationPermissions {
    /// What it says of its runs.
    pub policy: RunPolicy,
    /// Every action of its runs needs approval.
    pub require_validation: bool,
    /// Its seed: another one is other words.
    pub seed: SessionId,
    /// The yes that it stands for.
    pub grant: Option<AutomationGrant>,
}

/// What it is to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AutomationPermissionChange {
    /// What it says of its runs.
    pub policy: RunPolicy,
    /// Every action of its runs needs approval.
    pub require_validation: bool,
    /// Its seed.
    pub seed: SessionId,
    /// The person says expressly that what its policy lets through is allowed.
    pub grants: bool,
    /// The versions of the instructions that its runs read now, by the name of their scope.
    pub instructions: Vec<(String, u64)>,
}

/// The grant of an automation after a change. `before` is `None` for one that is made.
///
/// # Errors
/// When who asks may not make the change.
pub fn compute_grant_after_change(
    above: InheritedPolicy,
    before: Option<&AutomationPermissions>,
    wanted: AutomationPermissionChange,
    (asker, at): (ChangeRequester<'_>, Timestamp),
) -> Result<Option<AutomationGrant>, PermissionError> {
    let old = before.map_or_else(RunPolicy::default, |before| before.policy);
    // Said again by somebody who may not approve it changes nothing.
    let grants = wanted.grants && asker.may_approve;
    let allows = allows_unattended(wanted.policy) && (grants || !allows_unattended(old));
    let frees = allows_without_plan(wanted.policy) && (grants || !allows_without_plan(old));
    if allows && above.unattended == UnattendedPolicy::Refuse {
        return Err(PermissionError::ConfigurationRefuses);
    }
    let drops_flag = before.is_some_and(|before| before.require_validation) && !wanted.require_validation;
    let loosens = allows || drops_flag || is_looser(above, old, wanted.policy);
    if loosens && !asker.may_approve {
        return Err(PermissionError::NeedsApprove);
    }
    let kept = before.and_then(|before| before.grant.clone()).filter(|grant| {
        let is_theirs = grant.author == asker.person && asker.may_approve;
        grant.seed == wanted.seed || is_theirs
    });
    let kept = kept.map(|grant| match grant.seed == wanted.seed {
        true => grant,
        // Who gave it changed the words.
        false => AutomationGrant { at, seed: wanted.seed.clone(), ..grant },
    });
    let granted = match asker.may_approve && (allows || frees) {
        true => {
            let own = kept.filter(|grant| grant.author == asker.person);
            Some(AutomationGrant {
                author: asker.person.to_owned(),
                at,
                seed: wanted.seed,
                instructions: wanted.instructions,
                allows: allows || own.as_ref().is_some_and(|own| own.allows),
                frees: frees || own.as_ref().is_some_and(|own| own.frees),
            })
        }
        false => kept,
    };
    let granted = granted.map(|grant| AutomationGrant {
        allows: grant.allows && allows_unattended(wanted.policy),
        frees: grant.frees && allows_without_plan(wanted.policy),
        ..grant
    });
    Ok(granted.filter(|grant| grant.allows || grant.frees))
}

/// The grant that an automation has for the words that it has now.
pub fn current_grant(automation: &Automation) -> Option<&AutomationGrant> {
    automation.grant.as_ref().filter(|grant| grant.seed == automation.seed)
}

/// Whether an automation says `allow` and nobody who may approve said so for the words that it has now: what needs approval
/// waits for a person, as with `park`.
pub fn lacks_grant(automation: &Automation) -> bool {
    allows_unattended(automation.policies.run) && !current_grant(automation).is_some_and(|grant| grant.allows)
}

/// What holds in the runs of an automation: its policy without what nobody granted.
pub fn effective_run_policy(
    above: InheritedPolicy,
    policy: RunPolicy,
    grant: Option<&AutomationGrant>,
) -> RunPolicy {
    let (allows, frees) = grant.map_or((false, false), |grant| (grant.allows, grant.frees));
    let unattended = policy.unattended.filter(|own| match (above.unattended, own) {
        (UnattendedPolicy::Refuse, own) => *own == UnattendedPolicy::Refuse,
        (UnattendedPolicy::Park, UnattendedPolicy::Allow) => allows,
        (UnattendedPolicy::Park, UnattendedPolicy::Park | UnattendedPolicy::Refuse)
        | (UnattendedPolicy::Allow, _) => true,
    });
    let mode = policy.mode.filter(|own| match (above.mode, own) {
        (PlanMode::Plan, PlanMode::Free) => frees,
        (PlanMode::Plan, PlanMode::Plan) | (PlanMode::Free, _) => true,
    });
    RunPolicy { unattended, mode, ..policy }
}

/// The words that a run begins with.
#[derive(Clone, Copy, Debug)]
pub struct RunTextAuthors<'a> {
    /// Who wrote its seed.
    pub seed_authors: &'a [String],
    /// The instructions that it reads.
    pub instructions: &'a [InstructionVersion],
    /// Who reported the event that it runs for.
    pub reporter: Option<&'a str>,
}

/// What holds in a run that begins now with these words, and the yes in advance that it has.
pub fn resolve_run_policy(
    above: InheritedPolicy,
    automation: &Automation,
    words: RunTextAuthors<'_>,
) -> (RunPolicy, Option<PolicyGrant>) {
    let RunTextAuthors { seed_authors, instructions, reporter } = words;
    let grant = current_grant(automation);
    let policy = effective_run_policy(above, automation.policies.run, grant);
    if policy.unattended.unwrap_or(above.unattended) != UnattendedPolicy::Allow {
        return (policy, None);
    }
    let told = instructions.iter().filter(|told| !told.is_cleared());
    let granted = grant.filter(|grant| grant.allows && above.unattended != UnattendedPolicy::Allow);
    let Some(grant) = granted else {
        let told = told.map(|told| &told.author).filter(|author| reporter != Some(author.as_str()));
        let covers = seed_authors.iter().chain(told).cloned().collect();
        let author = PolicyAuthor { person: None, at: automation.updated_at };
        return (policy, Some(PolicyGrant { author, covers }));
    };
    let is_known = |told: &&InstructionVersion| {
        let name = told.scope.name();
        let mut known = grant.instructions.iter();
        told.author == grant.author || known.any(|(scope, version)| scope == name && *version == told.version)
    };
    let (known, later): (Vec<_>, Vec<_>) = told.partition(is_known);
    let covered =
        std::iter::once(&grant.author).chain(seed_authors).chain(known.iter().map(|told| &told.author));
    // Who wrote or reported something that the author of the policy did not know has words in the run that it was not
    // given for.
    let is_new = |person: &str| {
        person != grant.author && (reporter == Some(person) || later.iter().any(|told| told.author == person))
    };
    let covers = covered.filter(|person| !is_new(person)).cloned().collect();
    let author = PolicyAuthor { person: Some(grant.author.clone()), at: grant.at };
    (policy, Some(PolicyGrant { author, covers }))
}

/// What is set for a session and may let something through.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionPolicy {
    /// Every action needs approval.
    pub require_validation: bool,
    /// Whether a plan comes before actions.
    pub mode: PlanMode,
    /// The commands that it may ask for, where a policy may allow them: in a run. `None` in a chat, whose actions are asked
    /// for one by one.
    pub commands: Option<Restriction>,
}

/// Whether this person may set this for a session, where that was set, or stands above it.
///
/// # Errors
/// When it is looser and they may not approve.
pub fn check_session_change(
    before: &SessionPolicy,
    after: &SessionPolicy,
    may_approve: bool,
) -> Result<(), PermissionError> {
    let wider = match (&before.commands, &after.commands) {
        (Some(before), Some(after)) => !after.is_within(before),
        (None, _) | (_, None) => false,
    };
    let looser = (before.require_validation && !after.require_validation)
        || (before.mode == PlanMode::Plan && after.mode == PlanMode::Free)
        || wider;
    if looser && !may_approve { Err(PermissionError::NeedsApprove) } else { Ok(()) }
}

/// Whether this person may set these settings of a workspace in the place of those.
///
/// # Errors
/// When they ask less often for a yes and the person may not approve.
pub fn check_settings_change(
    before: &WorkspaceSettings,
    after: &WorkspaceSettings,
    may_approve: bool,
) -> Result<(), PermissionError> {
    let plans = |settings: &WorkspaceSettings| settings.mode.map(SessionMode::mode) == Some(PlanMode::Plan);
    let looser = (before.require_validation && !after.require_validation)
        || (before.four_eyes && !after.four_eyes)
        || (plans(before) && !plans(after));
    if looser && !may_approve { Err(PermissionError::NeedsApprove) } else { Ok(()) }
}

fn allows_unattended(policy: RunPolicy) -> bool {
    policy.unattended == Some(UnattendedPolicy::Allow)
}

fn allows_without_plan(policy: RunPolicy) -> bool {
    policy.mode == Some(PlanMode::Free)
}

/// Whether the new policy would let more through than the old one, were both granted.
fn is_looser(above: InheritedPolicy, old: RunPolicy, new: RunPolicy) -> bool {
    let all = AutomationGrant {
        author: String::new(),
        at: Timestamp(0),
        seed: SessionId::new(""),
        instructions: Vec::new(),
        allows: true,
        frees: true,
    };
    let holds = |policy| {
        let policy = effective_run_policy(above, policy, Some(&all));
        (policy.unattended.unwrap_or(above.unattended), policy.mode.unwrap_or(above.mode))
    };
    let ((old_unattended, old_mode), (new_unattended, new_mode)) = (holds(old), holds(new));
    old_unattended.stricter(new_unattended) != new_unattended
        || (old_mode == PlanMode::Plan && new_mode == PlanMode::Free)
}
