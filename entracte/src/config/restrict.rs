//! The settings that a project's file may set before a person trusts it. Pure.
//!
//! An allow-list: a setting that is not on it is left out, including every new setting until its use is decided. An
//! untrusted file may lower limits and make safeguards stricter, and choose among the person's own providers and
//! their models. It names no program, address, secret, host or database.

mod entries;
mod strictness;
#[cfg(test)]
mod tests;

use entracte_application::rule_book::RuleBook;
use entracte_domain::session::{LimitProfile, SessionKind, SessionRules};

use self::entries::{of_agent, of_host, of_http_tool, of_mcp_server, of_providers, of_secret, of_task};
use self::strictness::{STRICTER, StrictnessOrder};
use super::database::DatabaseSource;
use super::layers::{ConfigLayer, built_in_providers};
use super::rules;
use super::runtime_settings::{rule_book, runtime};
use super::secret_shorthand::PLACES;
use super::setting_keys::KINDS;
use super::tools::ExternalToolsConfig;
use super::value::SettingValue;

entracte_domain::words! {
    /// The capability that a key would give to its file.
    pub(crate) enum RestrictedCapability {
        /// Starts a program.
        Program = "program",
        /// Sends something to an address.
        Address = "address",
        /// Uses a secret or a variable of the process.
        Secret = "secret",
        /// Reaches a private host.
        Host = "host",
        /// Uses another database.
        Database = "database",
        /// Loosens a limit or a safeguard.
        Safeguard = "safeguard",
        /// Changes anything else.
        Setting = "setting",
    }
}

/// A key that was left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RestrictedKey {
    /// Its name in the summary: the setting, or its whole entry.
    pub(crate) named: String,
    /// The key.
    pub(crate) key: String,
    /// The capability it would give.
    pub(crate) gets: RestrictedCapability,
    /// Its value, as written in a file.
    pub(crate) value: String,
}

/// Splits an untrusted layer into the settings in force over the layers `below`, and the keys that are left out.
pub(super) fn restrict(layer: ConfigLayer, below: &ConfigLayer) -> (ConfigLayer, Vec<RestrictedKey>) {
    let ConfigLayer { values, providers, tools, agents, secrets } = layer;
    let ExternalToolsConfig { allow, http, tasks, mcp } = tools;
    let known = if below.providers.is_empty() { built_in_providers() } else { below.providers.clone() };
    let mut kept = ConfigLayer::default();
    let mut left_out = Vec::new();
    for (name, server) in mcp {
        if !below.tools.mcp.iter().any(|(known, entry)| *known == name && *entry == server) {
            left_out.extend(of_mcp_server(&name, &server));
        }
    }
    for tool in http {
        if !below.tools.http.contains(&tool) {
            left_out.extend(of_http_tool(&tool));
        }
    }
    for task in tasks {
        if !below.tools.tasks.contains(&task) {
            left_out.extend(of_task(&task));
        }
    }
    for host in allow {
        if !below.tools.allow.contains(&host) {
            left_out.push(of_host(&host));
        }
    }
    for agent in agents {
        if !below.agents.iter().any(|known| known.declared == agent.declared) {
            left_out.extend(of_agent(&agent.declared));
        }
    }
    for (name, secret) in secrets {
        if !below.secrets.iter().any(|(known, entry)| *known == name && *entry == secret) {
            left_out.extend(of_secret(&name, &secret));
        }
    }
    for (name, (value, origin)) in values {
        let is_own =
            matches!(&value, SettingValue::Text(text) if known.iter().any(|entry| entry.name == *text));
        if (name == "default_provider" && is_own) || tightens(&name, &value, below) {
            kept.values.insert(name, (value, origin));
        } else {
            left_out.push(of_value(name, &value));
        }
    }
    let (providers, others) = of_providers(providers, known);
    kept.providers = providers;
    left_out.extend(others);
    (kept, left_out)
}

/// The names of the left-out settings and entries, each once.
pub(crate) fn names(left_out: &[RestrictedKey]) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    for one in left_out {
        if !names.contains(&one.named.as_str()) {
            names.push(&one.named);
        }
    }
    names
}

/// Whether a setting makes nothing looser than the layers below.
fn tightens(name: &str, value: &SettingValue, below: &ConfigLayer) -> bool {
    let now = runtime(below);
    match name {
        "validation.workspace" => *value == SettingValue::Flag(true) || !now.require_validation,
        "validation.always_expires" => {
            StrictnessOrder::Less.is_at_least_as_strict(&SettingValue::Span(now.always_expires), value)
        }
        "validation.always_max" => {
            let most = u64::try_from(now.always_max).unwrap_or(u64::MAX);
            StrictnessOrder::Less.is_at_least_as_strict(&SettingValue::Count(most), value)
        }
        "limits.profile" => loosens_nothing(name, value, below),
        name => {
            STRICTER.iter().any(|(field, _)| sets_value(name, field)) && loosens_nothing(name, value, below)
        }
    }
}

/// Whether a setting sets this field, for all kinds of sessions or for one.
fn sets_value(name: &str, field: &str) -> bool {
    let limit = name.strip_prefix("limits.").is_some_and(|rest| {
        rest == field
            || KINDS
                .iter()
                .any(|kind| rest.strip_prefix(kind).and_then(|rest| rest.strip_prefix('.')) == Some(field))
    });
    limit || rules::validation().iter().any(|of| of.name == field && name == format!("validation.{field}"))
}

/// Whether this setting alone makes no field of any session kind looser. Each setting is judged alone, because a
/// field has one value in force, and each possible value was judged.
fn loosens_nothing(name: &str, value: &SettingValue, below: &ConfigLayer) -> bool {
    let mut with = ConfigLayer { values: below.values.clone(), ..ConfigLayer::default() };
    with.values.insert(name.to_owned(), (value.clone(), String::new()));
    is_as_strict(&rule_book(below), &rule_book(&with))
}

fn is_as_strict(before: &RuleBook, after: &RuleBook) -> bool {
    let fields: Vec<rules::RulesField> = rules::fields().into_iter().chain(rules::validation()).collect();
    KINDS.iter().filter_map(|kind| SessionKind::from_word(kind)).all(|kind| {
        fields.iter().all(|field| {
            let (before, after) = (before.rules_for_kind(kind), after.rules_for_kind(kind));
            let (old, new) = ((field.get)(before), (field.get)(after));
            let known = STRICTER.iter().find(|(name, _)| *name == field.name);
            old == new
                || known.is_some_and(|(_, stricter)| stricter.is_at_least_as_strict(&old, &new))
                || field.name == "equal_failures" && bounds_every_failure(kind, after)
        })
    })
}

/// Whether the rules bound failures of any kind at least as tightly as the profile `strict`, which leaves equal ones to
/// these limits.
fn bounds_every_failure(kind: SessionKind, rules: &SessionRules) -> bool {
    let limits = |rules: &SessionRules| [rules.failed_action_rounds, rules.format_errors];
    let strict = limits(&SessionRules::new(kind, LimitProfile::Strict));
    limits(rules).into_iter().zip(strict).all(|(limit, most)| limit > 0 && limit <= most)
}

/// Whether one value of a limit or policy, given as text, is stricter than another.
pub(crate) fn is_stricter(name: &str, old: &str, new: &str) -> bool {
    if name == "validation.workspace" {
        return (old, new) == ("false", "true");
    }
    let short = name.split_once('.').map_or(name, |(_, short)| short);
    let stricter = STRICTER.iter().find(|(field, _)| *field == short);
    let field = rules::fields().into_iter().chain(rules::validation()).find(|field| field.name == short);
    let (Some((_, stricter)), Some(field)) = (stricter, field) else { return false };
    let values = (field.kind.read(old), field.kind.read(new));
    matches!(values, (Some(old), Some(new)) if old != new && stricter.is_at_least_as_strict(&old, &new))
}

fn of_value(name: String, value: &SettingValue) -> RestrictedKey {
    let table = name.split('.').next().unwrap_or_default();
    let gets = match table {
        "database" | "data" => RestrictedCapability::Database,
        "limits" | "policy" | "validation" => RestrictedCapability::Safeguard,
        "telemetry" => RestrictedCapability::Address,
        "notify" if name == "notify.allow" => RestrictedCapability::Host,
        _ => RestrictedCapability::Setting,
    };
    let value = match value {
        // A URL may contain a password.
        SettingValue::Text(text) if name == PLACES[0] || name == "data" => {
            SettingValue::Text(DatabaseSource::Given(text.clone()).shown().1).to_string()
        }
        value => value.to_string(),
    };
    RestrictedKey { named: name.clone(), key: name, gets, value }
}
