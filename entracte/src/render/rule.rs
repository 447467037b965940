//! Renders standing approvals as text.

use entracte_adapters_http::shapes::card::CardShape;
use entracte_adapters_http::shapes::rule::{ConditionShape, RuleShape};
use entracte_adapters_http::shapes::rule_limits::{UseLimitShape, UseLimitsShape};
use entracte_adapters_http::shapes::rule_width::{RuleReach, RuleWidthShape};
use entracte_adapters_http::shapes::rule_words::{conditions_in_words, limits_in_words};
use entracte_application::texts::{LocalizedTexts, say};
use entracte_domain::time::Millis;

use super::text::one_line;
use super::time::{TimeFormatter, day, exact_duration_text, shown_instant};

/// A rule in one sentence: the command, the conditions on its arguments, its scope and expiry.
pub(crate) fn words<'a>(
    rule: &RuleShape,
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
pub(crate) fn command(rule: &RuleShape, texts: &LocalizedTexts) -> String {
    match &rule.denies {
        Some(_) => say!(texts, "rule-denies", command = &rule.command),
        None => rule.command.clone(),
    }
}

/// The condition on each argument.
pub(crate) fn conditions(rule: &RuleShape, texts: &LocalizedTexts) -> String {
    if rule.arguments.is_empty() && rule.denies.is_some() {
        return say!(texts, "rule-any-arguments");
    }
    if rule.arguments.is_empty() {
        return say!(texts, "rule-no-arguments");
    }
    conditions_in_words(&rule.arguments, texts)
}

/// The later calls that a standing approval given with this decision would cover: the free arguments, the scope, the
/// expiry and the count. `None` if it cannot be given. The other arguments are on the card.
pub(crate) fn width(
    approval: &CardShape,
    texts: &LocalizedTexts,
    in_session: bool,
    agents: bool,
    lasts: Millis,
) -> Option<String> {
    let conditions = approval.always.as_ref()?;
    let any: Vec<&str> = conditions
        .iter()
        .filter(|(_, condition)| matches!(condition, ConditionShape::Any))
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
        command = one_line(&approval.command),
        arguments = arguments,
        scope = scope,
        lasts = exact_duration_text(lasts, texts)
    );
    Some(format!("  {says}"))
}

/// The later calls that a standing approval with this width would cover, and for how long.
pub(crate) fn chosen_width(
    approval: &CardShape,
    width: &RuleWidthShape,
    reach: RuleReach,
    texts: &LocalizedTexts,
    lasts: Millis,
) -> String {
    // On an agent's card it applies to agents too.
    let reach = RuleReach { is_of_agent: !approval.chain.is_empty(), ..reach };
    let offer = width.in_words(&one_line(&approval.command), reach, texts);
    format!("  {}", say!(texts, "rule-offered", offer = offer, lasts = exact_duration_text(lasts, texts)))
}

/// The scope of a rule.
pub(crate) fn scope(rule: &RuleShape, texts: &LocalizedTexts) -> String {
    // A refusal holds for agents in any case, so its scope does not say so.
    let names_agents = rule.agents && rule.denies.is_none();
    match (&rule.session, &rule.automation, &rule.agent) {
        (Some(session), ..) => say!(texts, "rule-in-session", session = session),
        (None, Some(automation), _) if names_agents => {
            say!(texts, "rule-for-automation-agents", automation = automation)
        }
        (None, Some(automation), _) => say!(texts, "rule-for-automation", automation = automation),
        (None, None, Some(agent)) => say!(texts, "rule-for-agent", agent = agent),
        (None, None, None) if names_agents => say!(texts, "rule-in-workspace-agents"),
        (None, None, None) => say!(texts, "rule-in-workspace"),
    }
}

/// Whether the rule is in force, or who revoked it when.
pub(crate) fn state<'a>(
    rule: &RuleShape,
    texts: &LocalizedTexts,
    dial: impl Into<TimeFormatter<'a>>,
) -> String {
    let dial = dial.into();
    match (&*rule.state, &rule.revoked_by) {
        (_, Some(who)) => {
            let at = shown_day(rule.revoked_at.as_deref().unwrap_or_default(), dial);
            say!(texts, "rule-revoked", who = who, at = at)
        }
        ("expired", None) => say!(texts, "rule-expired"),
        ("used_up", None) => say!(texts, "rule-used-up"),
        _ => until(rule, texts, dial),
    }
}

/// The day of an instant of the API; its text if it is none that this program reads.
pub(crate) fn shown_day<'a>(at: &str, dial: impl Into<TimeFormatter<'a>>) -> String {
    shown_instant(at, |at| day(at, dial.into().zone))
}

/// The expiry of a rule, and how many calls remain.
fn until(rule: &RuleShape, texts: &LocalizedTexts, dial: TimeFormatter<'_>) -> String {
    let until = match rule.for_ever {
        true => say!(texts, "rule-until-revoked"),
        false => {
            let until = shown_instant(&rule.expires_at, |at| dial.with_relative_time(at, texts));
            say!(texts, "rule-until", until = until)
        }
    };
    let until = match (rule.left, rule.times) {
        (Some(left), Some(most)) => say!(texts, "rule-times", left = left, most = most, until = until),
        _ => until,
    };
    let mut parts = rule.limits.clone().map_or_else(Vec::new, |limits| {
        // The number of all calls is said with what is left of it.
        let total = UseLimitShape { calls: None, ..limits.total };
        limits_in_words(&UseLimitsShape { total, ..limits }, texts)
    });
    if !parts.is_empty() {
        parts.extend(used_in_all(rule, texts));
    }
    parts.push(until);
    parts.join(", ")
}

/// What calls used in all; empty if none did.
fn used_in_all(rule: &RuleShape, texts: &LocalizedTexts) -> Vec<String> {
    let Some(used) = rule.used.as_ref().filter(|used| used.total.calls > 0) else { return Vec::new() };
    let calls = say!(texts, "rule-used", count = used.total.calls, reserved = used.reserved);
    let sum = summed_argument(rule)
        .map(|name| say!(texts, "rule-used-sum", name = name, sum = used.total.sum.0.to_string()));
    std::iter::once(calls).chain(sum).collect()
}

/// The argument whose numbers the limits of a rule sum.
fn summed_argument(rule: &RuleShape) -> Option<&str> {
    rule.limits.as_ref()?.summed.as_deref()
}

/// What calls used of the limits of a rule, and which ones, each on a line of its own; empty without limits.
pub(crate) fn usage<'a>(
    rule: &RuleShape,
    texts: &LocalizedTexts,
    dial: impl Into<TimeFormatter<'a>>,
) -> Vec<String> {
    let dial = dial.into();
    let Some(used) = &rule.used else { return Vec::new() };
    let mut lines = used_in_all(rule, texts);
    let summed = summed_argument(rule);
    if let (Some(since), Some(on_day)) = (&used.day, &used.on_day) {
        let count = match summed {
            Some(_) => format!("{}, {}", on_day.calls, on_day.sum.0),
            None => on_day.calls.to_string(),
        };
        lines.push(say!(texts, "rule-used-day", count = count, since = shown_day(since, dial)));
    }
    lines.extend(used.latest.iter().map(|one| {
        let amount = summed.map_or_else(|| "none".to_owned(), |_| one.amount.0.to_string());
        let at = shown_day(&one.at, dial);
        say!(texts, "rule-used-by", call = &one.call, amount = amount, state = &*one.state, at = at)
    }));
    lines
}
