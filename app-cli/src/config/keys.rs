//! Every setting by its name in the configuration file. `ENTRACTE_` and the name in capitals, dots as
//! underscores, is its variable: `limits.rounds` is `ENTRACTE_LIMITS_ROUNDS`.

use super::bounds::BOUNDS;
use super::embeddings;
use super::knowledge;
use super::notify;
use super::rules::{PROFILE, fields, validation};
use super::server;
use super::telemetry;
use super::value::Kind;

/// A setting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Key {
    /// Its name, with the names of its tables before it.
    pub(crate) name: String,
    /// What it takes.
    pub(crate) kind: Kind,
}

/// The kinds of sessions that may have limits of their own.
pub(crate) const KINDS: [&str; 4] = ["chat", "seed", "automation", "agent"];

/// Settings beside the limits.
const PLAIN: [(&str, Kind); 63] = [
    ("data", Kind::Text),
    ("workspace", Kind::Text),
    ("author", Kind::Text),
    ("default_provider", Kind::Text),
    ("database.url", Kind::Text),
    ("database.url_env", Kind::Text),
    ("database.url_file", Kind::Text),
    ("database.busy_timeout", Kind::Span),
    ("database.connect_timeout", Kind::Span),
    ("database.statement_timeout", Kind::Span),
    ("database.commit_lookup", Kind::Span),
    ("database.ownership_check", Kind::Span),
    ("database.commit_warning", Kind::Span),
    ("database.require_sync", Kind::Flag),
    ("database.max_bytes", Kind::Count(1 << 47)),
    ("validation.workspace", Kind::Flag),
    ("validation.always_expires", Kind::Span),
    ("validation.always_max", Kind::Count(10_000)),
    ("runtime.longest_sleep", Kind::Span),
    ("runtime.mail_poll", Kind::Span),
    ("runtime.keep_in_memory", Kind::Span),
    ("runtime.deletions_kept", Kind::Count(1_000_000)),
    ("runtime.changes_kept", Kind::Count(10_000_000)),
    ("runtime.deletion_calls", Kind::Count(10_000)),
    ("runtime.receipts_kept", Kind::Span),
    ("runtime.task_answer", Kind::Span),
    ("runtime.lease", Kind::Span),
    ("runtime.lease_margin", Kind::Span),
    ("runtime.reclaim", Kind::Span),
    ("runtime.takeover_wait", Kind::Span),
    ("runtime.attachment_lease", Kind::Span),
    ("runtime.summary_pieces", Kind::Count(1_000)),
    ("network.jitter", Kind::Span),
    ("network.calls_at_once", Kind::Count(10_000)),
    ("network.calls_in_tree", Kind::Count(10_000)),
    ("network.probe", Kind::Span),
    ("stream.text_bytes", Kind::Count(1 << 30)),
    ("stream.reasoning_bytes", Kind::Count(1 << 30)),
    ("stream.total_bytes", Kind::Count(1 << 40)),
    ("message.max_chars", Kind::Count(u32::MAX as u64)),
    ("message.max_enrichments", Kind::Count(1_000)),
    ("context.tool", Kind::Text),
    ("context.cache", Kind::Span),
    ("context.timeout", Kind::Span),
    ("chat.history", Kind::Count(100_000)),
    ("log.file", Kind::Flag),
    ("log.max_bytes", Kind::Count(1 << 40)),
    ("log.files", Kind::Count(100)),
    ("backup.every", Kind::Span),
    ("backup.keep", Kind::Count(10_000)),
    ("backup.folder", Kind::Text),
    ("result.max_chars", Kind::Count(u32::MAX as u64)),
    ("plan.max_steps", Kind::Count(1_000)),
    ("plan.max_chars", Kind::Count(10_000)),
    ("automation.occurrences_per_turn", Kind::Count(100_000)),
    ("automation.event_max_chars", Kind::Count(u32::MAX as u64)),
    ("stream.relay_lasts", Kind::Span),
    ("automation.dry_run_lasts", Kind::Span),
    ("automation.dry_runs_at_once", Kind::Count(100)),
    ("instructions.max_bytes", Kind::Count(1 << 20)),
    ("instructions.versions_kept", Kind::Count(100_000)),
    ("prompt.data_entries", Kind::Count(1_000)),
    ("prompt.data_max_chars", Kind::Count(u32::MAX as u64)),
];

/// Every setting.
pub(crate) fn keys() -> Vec<Key> {
    let key = |name: String, kind| Key { name, kind };
    let mut keys: Vec<Key> = PLAIN.iter().map(|(name, kind)| key((*name).to_owned(), *kind)).collect();
    keys.extend(server::KEYS.iter().map(|(name, kind)| key((*name).to_owned(), *kind)));
    keys.extend(telemetry::KEYS.iter().map(|(name, kind)| key((*name).to_owned(), *kind)));
    keys.extend(embeddings::KEYS.iter().map(|(name, kind)| key((*name).to_owned(), *kind)));
    keys.extend(knowledge::KEYS.iter().map(|(name, kind)| key((*name).to_owned(), *kind)));
    keys.extend(notify::KEYS.iter().map(|(name, kind)| key((*name).to_owned(), *kind)));
    keys.push(key("notify.allow".to_owned(), Kind::List));
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

/// The names that may stand in a table, each once: settings, and tables.
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
