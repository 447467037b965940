//! All settings by their names in the configuration file. The variable of a setting is `ENTRACTE_` and the name in
//! capitals with underscores for dots: `limits.rounds` is `ENTRACTE_LIMITS_ROUNDS`.

use super::bound_settings::BOUNDS;
use super::embeddings;
use super::knowledge;
use super::notify;
use super::policy;
use super::retention;
use super::rules::{PROFILE, fields, validation};
use super::server;
use super::telemetry;
use super::value::{SettingValue, SettingValueKind};
use super::{files, inbox};

/// A setting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SettingDefinition {
    /// Its full name, including its tables.
    pub(crate) name: String,
    /// The kind of its value.
    pub(crate) kind: SettingValueKind,
}

/// The session kinds that may have their own limits.
pub(crate) const KINDS: [&str; 4] = ["chat", "seed", "automation", "agent"];

/// Settings other than the limits.
const PLAIN: [(&str, SettingValueKind); 66] = [
    ("data", SettingValueKind::Text),
    ("workspace", SettingValueKind::Text),
    ("author", SettingValueKind::Text),
    ("default_provider", SettingValueKind::Text),
    ("database.url", SettingValueKind::Text),
    ("database.url_env", SettingValueKind::Text),
    ("database.url_file", SettingValueKind::Text),
    ("database.busy_timeout", SettingValueKind::Span),
    ("database.connect_timeout", SettingValueKind::Span),
    ("database.statement_timeout", SettingValueKind::Span),
    ("database.commit_lookup", SettingValueKind::Span),
    ("database.ownership_check", SettingValueKind::Span),
    ("database.commit_warning", SettingValueKind::Span),
    ("database.require_sync", SettingValueKind::Flag),
    ("database.max_bytes", SettingValueKind::Count(1 << 47)),
    ("validation.workspace", SettingValueKind::Flag),
    ("validation.always_expires", SettingValueKind::Span),
    ("validation.always_max", SettingValueKind::Count(10_000)),
    ("rules.suggest_after", SettingValueKind::Count(10_000)),
    ("runtime.longest_sleep", SettingValueKind::Span),
    ("runtime.mail_poll", SettingValueKind::Span),
    ("runtime.keep_in_memory", SettingValueKind::Span),
    ("runtime.deletion_calls", SettingValueKind::Count(10_000)),
    ("runtime.task_answer", SettingValueKind::Span),
    ("runtime.lease", SettingValueKind::Span),
    ("runtime.lease_margin", SettingValueKind::Span),
    ("runtime.shares_database", SettingValueKind::Flag),
    ("runtime.reclaim", SettingValueKind::Span),
    ("runtime.takeover_wait", SettingValueKind::Span),
    ("runtime.attachment_lease", SettingValueKind::Span),
    ("runtime.summary_pieces", SettingValueKind::Count(1_000)),
    ("network.jitter", SettingValueKind::Span),
    ("network.calls_at_once", SettingValueKind::Count(10_000)),
    ("network.calls_in_tree", SettingValueKind::Count(10_000)),
    ("network.probe", SettingValueKind::Span),
    ("network.address_check", SettingValueKind::Span),
    ("stream.text_bytes", SettingValueKind::Count(1 << 30)),
    ("stream.reasoning_bytes", SettingValueKind::Count(1 << 30)),
    ("stream.total_bytes", SettingValueKind::Count(1 << 40)),
    ("message.max_chars", SettingValueKind::Count(u32::MAX as u64)),
    ("message.max_enrichments", SettingValueKind::Count(1_000)),
    ("context.tool", SettingValueKind::Text),
    ("context.cache", SettingValueKind::Span),
    ("context.timeout", SettingValueKind::Span),
    ("chat.history", SettingValueKind::Count(100_000)),
    ("log.file", SettingValueKind::Flag),
    ("log.max_bytes", SettingValueKind::Count(1 << 40)),
    ("log.files", SettingValueKind::Count(100)),
    ("log.recent_lines", SettingValueKind::Count(100_000)),
    ("log.recent_chars", SettingValueKind::Count(100_000)),
    ("backup.every", SettingValueKind::Span),
    ("backup.keep", SettingValueKind::Count(10_000)),
    ("backup.folder", SettingValueKind::Text),
    ("result.max_chars", SettingValueKind::Count(u32::MAX as u64)),
    ("plan.max_steps", SettingValueKind::Count(1_000)),
    ("plan.max_chars", SettingValueKind::Count(10_000)),
    ("automation.occurrences_per_turn", SettingValueKind::Count(100_000)),
    ("automation.event_max_chars", SettingValueKind::Count(u32::MAX as u64)),
    ("stream.relay_lasts", SettingValueKind::Span),
    ("stream.reconnect_for", SettingValueKind::Span),
    ("automation.dry_run_lasts", SettingValueKind::Span),
    ("automation.dry_runs_at_once", SettingValueKind::Count(100)),
    ("instructions.max_bytes", SettingValueKind::Count(1 << 20)),
    ("instructions.versions_kept", SettingValueKind::Count(100_000)),
    ("prompt.data_entries", SettingValueKind::Count(1_000)),
    ("prompt.data_max_chars", SettingValueKind::Count(u32::MAX as u64)),
];

/// A former name of a setting, which is still read.
pub(crate) struct SettingAlias {
    /// The former name.
    pub(crate) name: &'static str,
    /// The kind of its value.
    pub(crate) kind: SettingValueKind,
    /// The name of the setting.
    pub(crate) of: &'static str,
    /// Converts a value of that kind into one of the setting.
    pub(crate) convert: fn(SettingValue) -> SettingValue,
}

impl SettingAlias {
    /// The alias with this name.
    pub(crate) fn find(name: &str) -> Option<&'static Self> {
        retention::ALIASES.iter().find(|alias| alias.name == name)
    }

    /// All aliases.
    pub(crate) fn all() -> &'static [Self] {
        &retention::ALIASES
    }
}

/// All settings.
pub(crate) fn keys() -> Vec<SettingDefinition> {
    let key = |name: String, kind| SettingDefinition { name, kind };
    let mut keys: Vec<SettingDefinition> =
        PLAIN.iter().map(|(name, kind)| key((*name).to_owned(), *kind)).collect();
    keys.extend(server::KEYS.iter().map(|(name, kind)| key((*name).to_owned(), *kind)));
    keys.extend(telemetry::KEYS.iter().map(|(name, kind)| key((*name).to_owned(), *kind)));
    keys.extend(embeddings::KEYS.iter().map(|(name, kind)| key((*name).to_owned(), *kind)));
    keys.extend(knowledge::KEYS.iter().map(|(name, kind)| key((*name).to_owned(), *kind)));
    keys.extend(notify::KEYS.iter().map(|(name, kind)| key((*name).to_owned(), *kind)));
    keys.extend(inbox::KEYS.iter().map(|(name, kind)| key((*name).to_owned(), *kind)));
    keys.extend(files::KEYS.iter().map(|(name, kind)| key((*name).to_owned(), *kind)));
    keys.extend(policy::KEYS.iter().map(|(name, kind)| key((*name).to_owned(), *kind)));
    keys.extend(policy::SOURCE_KEYS.iter().map(|(name, kind)| key((*name).to_owned(), *kind)));
    keys.extend(retention::keys().map(|(name, kind)| key(name.to_owned(), kind)));
    keys.push(key("notify.allow".to_owned(), SettingValueKind::List));
    keys.extend(notify::PUSH_KEYS.iter().map(|(name, kind)| key((*name).to_owned(), *kind)));
    keys.extend(validation().iter().map(|field| key(format!("validation.{}", field.name), field.kind)));
    keys.extend(BOUNDS.iter().map(|bound| key(bound.name.to_owned(), bound.kind())));
    keys.push(key("limits.profile".to_owned(), PROFILE));
    for field in fields() {
        keys.push(key(format!("limits.{}", field.name), field.kind));
        let own = KINDS.iter().map(|kind| key(format!("limits.{kind}.{}", field.name), field.kind));
        keys.extend(own);
    }
    keys
}

/// The variable of a setting.
pub(crate) fn variable(name: &str) -> String {
    format!("ENTRACTE_{}", name.to_uppercase().replace('.', "_"))
}

/// The names allowed in a table, each once: settings and tables.
pub(crate) fn names_in(table: &str) -> Vec<String> {
    let prefix = if table.is_empty() { String::new() } else { format!("{table}.") };
    let mut names: Vec<String> = Vec::new();
    for key in keys() {
        let Some(rest) = key.name.strip_prefix(&prefix) else { continue };
        let name = rest.split('.').next().unwrap_or(rest).to_owned();
        if !names.contains(&name) {
            names.push(name);
        }
    }
    if table.is_empty() {
        names.extend(["providers", "tools", "mcp", "agents", "secrets"].map(str::to_owned));
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_and_tables_are_named_after_the_settings() {
        assert_eq!(variable("limits.chat.rounds"), "ENTRACTE_LIMITS_CHAT_ROUNDS");
        assert_eq!(names_in("database")[..3], ["url", "url_env", "url_file"]);
        assert!(names_in("limits").contains(&"chat".to_owned()));
        let all = keys();
        let variables: std::collections::BTreeSet<String> =
            all.iter().map(|key| variable(&key.name)).collect();
        assert_eq!(variables.len(), all.len(), "no two settings share a variable");
    }
}
