//! Standing approvals, in words.

use entracte_application::texts::{Texts, say};
use entracte_domain::time::Timestamp;
use entracte_domain::validation::{AlwaysRule, Condition, Scope};
use jiff::tz::TimeZone;

use super::time::day;

/// All of a rule in one sentence: command, what its arguments must be, where and until when it counts.
pub(crate) fn words(rule: &AlwaysRule, texts: &Texts, zone: &TimeZone) -> String {
    let until = day(rule.expires.due_at, zone);
    let key = if rule.denies.is_some() { "rule-words-denies" } else { "rule-words" };
    say!(
        texts,
        key,
        command = &rule.command,
        conditions = conditions(rule, texts),
        scope = scope(rule, texts),
        until = say!(texts, "rule-until", until = until)
    )
}

/// The command, and whether its calls are refused.
pub(crate) fn command(rule: &AlwaysRule, texts: &Texts) -> String {
    match &rule.denies {
        Some(_) => say!(texts, "rule-denies", command = &rule.command),
        None => rule.command.clone(),
    }
}

/// What each argument must be.
pub(crate) fn conditions(rule: &AlwaysRule, texts: &Texts) -> String {
    let one = |(name, condition): &(String, Condition)| match condition {
        Condition::Any => say!(texts, "rule-is-any", name = name),
        Condition::Is(value) => say!(texts, "rule-is", name = name, value = value.to_json()),
    };
    if rule.arguments.is_empty() && rule.denies.is_some() {
        return say!(texts, "rule-any-arguments");
    }
    if rule.arguments.is_empty() {
        return say!(texts, "rule-no-arguments");
    }
    rule.arguments.iter().map(one).collect::<Vec<_>>().join(", ")
}

/// Where it counts.
pub(crate) fn scope(rule: &AlwaysRule, texts: &Texts) -> String {
    match &rule.scope {
        Scope::Workspace => say!(texts, "rule-in-workspace"),
        Scope::Session(session) => say!(texts, "rule-in-session", session = session.as_str()),
    }
}

/// Whether it counts now, and who took it back when.
pub(crate) fn state(rule: &AlwaysRule, now: Timestamp, texts: &Texts, zone: &TimeZone) -> String {
    match &rule.revoked {
        Some((who, at)) => say!(texts, "rule-revoked", who = who, at = day(*at, zone)),
        None if rule.expires.is_due(now) => say!(texts, "rule-expired"),
        None => say!(texts, "rule-until", until = day(rule.expires.due_at, zone)),
    }
}

/// The word for its state in JSON.
pub(crate) fn state_word(rule: &AlwaysRule, now: Timestamp) -> &'static str {
    match &rule.revoked {
        Some(_) => "revoked",
        None if rule.expires.is_due(now) => "expired",
        None => "open",
    }
}
