//! The permission model: who may grant actions without approval, and which text such a grant covers. Pure; every
//! change of a policy and every start under one consults it.
//!
//! The inherited policy of an automation or a session (the configuration and the settings of the workspace) may be
//! tightened by any person who may change it, and loosened only with approval rights. A `refuse` of the configuration
//! is never loosened. A grant is recorded with its author and covers the text it was given for: two steps never
//! achieve what one step is refused.

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

/// The requester of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChangeRequester<'a> {
    /// The requesting person.
    pub person: &'a str,
    /// Whether the person has the scope `approve`.
    pub may_approve: bool,
}

/// The policy that an automation or a session inherits from its workspace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InheritedPolicy {
    /// How to handle an action that needs approval while no person is present.
    pub unattended: UnattendedPolicy,
    /// Whether a plan must precede actions.
    pub mode: PlanMode,
}

impl InheritedPolicy {
    /// The policy in the rules of the workspace.
    pub fn from_rules(rules: &SessionRules) -> Self {
        Self { unattended: rules.unattended, mode: rules.mode }
    }
}

/// Why a change is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PermissionError {
    /// The change loosens a policy or grants actions, and the requester may not approve.
    NeedsApprove,
    /// The configuration refuses it, which no approval overrides.
    ConfigurationRefuses,
}

/// The parts of an automation that determine its permissions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AutomationPermissions {
    /// The policy of its runs.
    pub policy: RunPolicy,
    /// Whether every action of its runs needs approval.
    pub require_validation: bool,
    /// The seed session: another one contains another text.
    pub seed: SessionId,
    /// The current grant.
    pub grant: Option<AutomationGrant>,
}

/// The requested permissions of an automation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AutomationPermissionChange {
    /// The policy of its runs.
    pub policy: RunPolicy,
    /// Whether every action of its runs needs approval.
    pub require_validation: bool,
    /// The seed session.
    pub seed: SessionId,
    /// Whether the person explicitly grants the actions its policy allows.
    pub grants: bool,
    /// The current versions of the instructions its runs read, by scope name.
    pub instructions: Vec<(String, u64)>,
}

/// The grant of an automation after a change. `before` is `None` for a new automation.
///
/// # Errors
/// When the requester may not make the change.
pub fn compute_grant_after_change(
    above: InheritedPolicy,
    before: Option<&AutomationPermissions>,
    wanted: AutomationPermissionChange,
    requester: ChangeRequester<'_>,
    at: Timestamp,
) -> Result<Option<AutomationGrant>, PermissionError> {
    let old = before.map_or_else(RunPolicy::default, |before| before.policy);
    // A repeated grant by a person without approval rights has no effect.
    let grants = wanted.grants && requester.may_approve;
    let allows = allows_unattended(wanted.policy) && (grants || !allows_unattended(old));
    let frees = allows_without_plan(wanted.policy) && (grants || !allows_without_plan(old));
    if allows && above.unattended == UnattendedPolicy::Refuse {
        return Err(PermissionError::ConfigurationRefuses);
    }
    let drops_flag = before.is_some_and(|before| before.require_validation) && !wanted.require_validation;
    let loosens = allows || drops_flag || is_looser(above, old, wanted.policy);
    if loosens && !requester.may_approve {
        return Err(PermissionError::NeedsApprove);
    }
    let kept = before.and_then(|before| before.grant.clone()).filter(|grant| {
        let is_theirs = grant.author == requester.person && requester.may_approve;
        grant.seed == wanted.seed || is_theirs
    });
    let kept = kept.map(|grant| match grant.seed == wanted.seed {
        true => grant,
        // The grantor changed the text.
        false => AutomationGrant { at, seed: wanted.seed.clone(), ..grant },
    });
    let granted = match requester.may_approve && (allows || frees) {
        true => {
            let own = kept.filter(|grant| grant.author == requester.person);
            Some(AutomationGrant {
                author: requester.person.to_owned(),
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

/// The grant of an automation for its current text.
pub fn current_grant(automation: &Automation) -> Option<&AutomationGrant> {
    automation.grant.as_ref().filter(|grant| grant.seed == automation.seed)
}

/// Whether an automation has the policy `allow` without a grant for its current text: actions that need approval then
/// wait for a person, as with `park`.
pub fn lacks_grant(automation: &Automation) -> bool {
    allows_unattended(automation.policies.run) && !current_grant(automation).is_some_and(|grant| grant.allows)
}

/// The effective policy of an automation's runs: its policy without ungranted parts.
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

/// The sources of the text a run begins with.
#[derive(Clone, Copy, Debug)]
pub struct RunTextAuthors<'a> {
    /// The authors of its seed.
    pub seed_authors: &'a [String],
    /// The instructions it reads.
    pub instructions: &'a [InstructionVersion],
    /// The person who reported the event it runs for.
    pub reporter: Option<&'a str>,
}

/// The effective policy of a run that begins now with this text, and its grant.
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
    // A person who wrote or reported text unknown to the policy's author has words in the run that the grant does
    // not cover.
    let is_new = |person: &str| {
        person != grant.author && (reporter == Some(person) || later.iter().any(|told| told.author == person))
    };
    let covers = covered.filter(|person| !is_new(person)).cloned().collect();
    let author = PolicyAuthor { person: Some(grant.author.clone()), at: grant.at };
    (policy, Some(PolicyGrant { author, covers }))
}

/// The settings of a session that may allow actions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionPolicy {
    /// Whether every action needs approval.
    pub require_validation: bool,
    /// Whether a plan must precede actions.
    pub mode: PlanMode,
    /// The commands it may request, in a run whose policy may allow them. `None` in a chat, whose actions need
    /// approval one by one.
    pub commands: Option<Restriction>,
}

/// Checks that this person may replace the previous or inherited policy of a session.
///
/// # Errors
/// When the new one is looser and the person may not approve.
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

/// Checks that this person may replace the settings of a workspace.
///
/// # Errors
/// When the new ones require approval less often, or change who must approve or what is retained, and the person may
/// not approve.
pub fn check_settings_change(
    before: &WorkspaceSettings,
    after: &WorkspaceSettings,
    may_approve: bool,
) -> Result<(), PermissionError> {
    let plans = |settings: &WorkspaceSettings| settings.mode.map(SessionMode::mode) == Some(PlanMode::Plan);
    let looser = (before.require_validation && !after.require_validation)
        || (before.four_eyes && !after.four_eyes)
        || before.retention != after.retention
        || before.approval != after.approval
        || (plans(before) && !plans(after));
    if looser && !may_approve { Err(PermissionError::NeedsApprove) } else { Ok(()) }
}

fn allows_unattended(policy: RunPolicy) -> bool {
    policy.unattended == Some(UnattendedPolicy::Allow)
}

fn allows_without_plan(policy: RunPolicy) -> bool {
    policy.mode == Some(PlanMode::Free)
}

/// Whether the new policy would allow more than the old one, if both were granted.
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
