//! Renders standing approvals as text.

use entracte_application::texts::{LocalizedTexts, say};
use entracte_application::use_cases::ApprovalView;
use entracte_domain::time::{Millis, Timestamp};
use entracte_domain::validation::{ArgumentCondition, RuleScope, RuleState, StandingApprovalRule};

use super::text::one_line;
use super::time::{TimeFormatter, day, exact_duration_text};

/// A rule in one sentence: the command, the conditions on its arguments, its scope and expiry.
pub(crate) fn words<'a>(
    rule: &StandingApprovalRule,
    texts: &LocalizedTexts,
    dial: impl Into<TimeFormatter<'a>>,
) -> String {
    let key = match (rule.denies.is_some(), rule.arguments.is_empty()) {
        (true, _) => "rule-words-denies",
        (false, false) => "rule-words",
        (false, true) => "rule-words-bare",
    };
    say!(
        texts,
        key,
        command = &rule.command,
        conditions = conditions(rule, texts),
        scope = scope(rule, texts),
        until = until(rule, texts, dial.into())
    )
}

/// The command, and whether its calls are refused.
pub(crate) fn command(rule: &StandingApprovalRule, texts: &LocalizedTexts) -> String {
    match &rule.denies {
        Some(_) => say!(texts, "rule-denies", command = &rule.command),
        None => rule.command.clone(),
    }
}

/// The condition on each argument.
pub(crate) fn conditions(rule: &StandingApprovalRule, texts: &LocalizedTexts) -> String {
    let one = |(name, condition): &(String, ArgumentCondition)| match condition {
        ArgumentCondition::Any => say!(texts, "rule-is-any", name = name),
        ArgumentCondition::Is(value) => say!(texts, "rule-is", name = name, value = value.to_json()),
    };
    if rule.arguments.is_empty() && rule.denies.is_some() {
        return say!(texts, "rule-any-arguments");
    }
    if rule.arguments.is_empty() {
        return say!(texts, "rule-no-arguments");
    }
    rule.arguments.iter().map(one).collect::<Vec<_>>().join(", ")
}

/// The later calls that a standing approval given with this decision would cover: the free arguments, the scope, the
/// expiry and the count. `None` if it cannot be given. The other arguments are on the card.
pub(crate) fn width(
    approval: &ApprovalView,
    in_session: bool,
    agents: bool,
    lasts: Millis,
) -> Option<String> {
    let conditions = approval.always.as_ref()?;
    let texts = LocalizedTexts::for_language(approval.language);
    let any: Vec<&str> = conditions
        .iter()
        .filter(|(_, condition)| matches!(condition, ArgumentCondition::Any))
        .map(|(name, _)| name.as_str())
        .collect();
    let named: Vec<String> = any.iter().map(|name| one_line(name)).collect();
    let arguments = match (conditions.len(), any.len()) {
        (0, _) => say!(texts, "rule-no-arguments"),
        (_, 0) => say!(texts, "rule-width-exact"),
        (_, _) => say!(texts, "rule-width-any", names = named.join(", ")),
    };
    // On an agent's card it applies to agents too.
    let scope = match (in_session, agents || !approval.chain.is_empty()) {
        (true, _) => say!(texts, "rule-in-this-session"),
        (false, true) => say!(texts, "rule-in-workspace-agents"),
        (false, false) => say!(texts, "rule-in-workspace"),
    };
    let says = say!(
        texts,
        "rule-width",
        command = one_line(&approval.call.command.name),
        arguments = arguments,
        scope = scope,
        lasts = exact_duration_text(lasts, texts)
    );
    Some(format!("  {says}"))
}

/// The scope of a rule.
pub(crate) fn scope(rule: &StandingApprovalRule, texts: &LocalizedTexts) -> String {
    match &rule.scope {
        RuleScope::Workspace if rule.agents => say!(texts, "rule-in-workspace-agents"),
        RuleScope::Workspace => say!(texts, "rule-in-workspace"),
        RuleScope::Session(session) => say!(texts, "rule-in-session", session = session.as_str()),
    }
}

/// Whether the rule is in force, or who revoked it when.
pub(crate) fn state<'a>(
    rule: &StandingApprovalRule,
    now: Timestamp,
    texts: &LocalizedTexts,
    dial: impl Into<TimeFormatter<'a>>,
) -> String {
    let dial = dial.into();
    match &rule.revoked {
        Some((who, at)) => say!(texts, "rule-revoked", who = who, at = day(*at, dial.zone)),
        None if rule.state(now) == RuleState::Expired => say!(texts, "rule-expired"),
        None if rule.is_used_up() => say!(texts, "rule-used-up"),
        None => until(rule, texts, dial),
    }
}

/// The expiry of a rule, and how many calls remain.
fn until(rule: &StandingApprovalRule, texts: &LocalizedTexts, dial: TimeFormatter<'_>) -> String {
    let until = match rule.is_for_ever() {
        true => say!(texts, "rule-until-revoked"),
        false => say!(texts, "rule-until", until = dial.with_relative_time(rule.expires.due_at, texts)),
    };
    match &rule.uses {
        None => until,
        Some(uses) => say!(texts, "rule-times", left = uses.remaining(), most = uses.most, until = until),
    }
}
