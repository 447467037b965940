//! The effective settings in file syntax, each with its origin. Pure.

use entracte_adapters_commands::egress::AllowedHost;
use entracte_application::rule_book::RuleBook;
use entracte_application::texts::{LocalizedTexts, say};
use entracte_domain::session::SessionKind;
use entracte_domain::time::Millis;
use serde::Serialize;

use super::agents::AgentEntry;
use super::bound_settings::BOUNDS;
use super::embeddings;
use super::knowledge;
use super::layers::{BUILT_IN, LayerProviderEntry};
use super::notify;
use super::policy;
use super::retention;
use super::rules;
use super::server;
use super::setting_keys::KINDS;
use super::settings::AppSettings;
use super::telemetry;
use super::value::SettingValue;
use super::{files, inbox};

/// A setting in force.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct EffectiveSetting {
    /// The name of the setting.
    pub(crate) key: String,
    /// Its value in file syntax.
    pub(crate) value: String,
    /// Its origin.
    pub(crate) origin: String,
}

const DEFAULT: &str = "default";

impl EffectiveSetting {
    /// The origin in the reader's language; files, variables and flags are named as they are.
    pub(crate) fn origin_in(&self, texts: &LocalizedTexts) -> String {
        match self.origin.as_str() {
            DEFAULT => say!(texts, "config-origin-default"),
            BUILT_IN => say!(texts, "provider-origin-built-in"),
            named => named.to_owned(),
        }
    }
}

/// All effective settings.
pub(crate) fn effective_settings(settings: &AppSettings) -> Vec<EffectiveSetting> {
    let mut all = plain(settings);
    all.extend(BOUNDS.iter().map(|bound| {
        let value = SettingValue::Count(bound.value(&settings.runtime.bounds)).to_string();
        EffectiveSetting { key: bound.name.to_owned(), value, origin: origin_of(settings, &[bound.name]) }
    }));
    all.extend(limits(settings));
    all.extend(settings.providers.iter().flat_map(provider));
    all.extend(settings.set.agents.iter().flat_map(agent));
    all
}

fn list_of(hosts: &[AllowedHost]) -> String {
    hosts.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

fn plain(settings: &AppSettings) -> Vec<EffectiveSetting> {
    let runtime = &settings.runtime;
    let text = |text: &str| SettingValue::Text(text.to_owned());
    let count = |count: usize| SettingValue::Count(u64::try_from(count).unwrap_or(u64::MAX));
    let span = |span: Millis| SettingValue::Span(span);
    let provider = settings.default_provider.as_deref().unwrap_or_default();
    let (place, shown) = settings.database.shown();
    let database = &settings.database_options;
    let values = [
        (place, text(&shown)),
        ("workspace", text(settings.workspace.as_str())),
        ("author", text(&settings.author)),
        ("default_provider", text(provider)),
        ("validation.workspace", SettingValue::Flag(runtime.require_validation)),
        ("validation.always_expires", span(runtime.always_expires)),
        ("validation.always_max", count(runtime.always_max)),
        ("rules.suggest_after", SettingValue::Count(runtime.suggest_after.into())),
        ("message.max_chars", count(runtime.message_max_chars)),
        ("message.max_enrichments", count(runtime.message_max_enrichments)),
        ("context.tool", text(settings.context.tool.as_deref().unwrap_or_default())),
        ("context.cache", span(settings.context.cache)),
        ("context.timeout", span(settings.context.timeout)),
        ("notify.allow", text(&list_of(&settings.notify_allow))),
        ("notify.push_contact", text(settings.push.contact.as_deref().unwrap_or_default())),
        ("notify.push_key_file", text(&settings.push.key_file.display().to_string())),
        ("stream.reconnect_for", span(settings.reconnect_for)),
        ("chat.history", count(settings.chat_history)),
        ("log.file", SettingValue::Flag(settings.log.always)),
        ("log.max_bytes", SettingValue::Count(settings.log.max_bytes)),
        ("log.files", SettingValue::Count(u64::from(settings.log.files))),
        ("log.recent_lines", count(settings.log.recent.lines)),
        ("log.recent_chars", count(settings.log.recent.chars)),
        ("backup.every", SettingValue::Span(settings.backup.every)),
        ("backup.keep", count(settings.backup.keep)),
        ("backup.folder", SettingValue::Text(settings.backup.folder.display().to_string())),
        ("result.max_chars", count(runtime.result_max_chars)),
        ("plan.max_steps", count(runtime.plans.steps)),
        ("plan.max_chars", count(runtime.plans.chars)),
        ("automation.occurrences_per_turn", count(runtime.occurrences_per_turn)),
        ("automation.event_max_chars", count(runtime.event_max_chars)),
        ("stream.relay_lasts", span(runtime.relay_lasts)),
        ("automation.dry_run_lasts", span(runtime.dry_run_lasts)),
        ("automation.dry_runs_at_once", count(runtime.dry_runs_at_once)),
        ("instructions.max_bytes", count(runtime.instruction_bytes)),
        ("instructions.versions_kept", count(runtime.instruction_versions as usize)),
        ("prompt.data_entries", count(runtime.data_entries as usize)),
        ("prompt.data_max_chars", count(runtime.data_max_chars)),
        ("database.busy_timeout", span(database.busy_timeout)),
        ("database.connect_timeout", span(database.connect_timeout)),
        ("database.statement_timeout", span(database.statement_timeout)),
        ("database.commit_lookup", span(database.commit_lookup)),
        ("database.ownership_check", span(database.ownership_check)),
        ("database.commit_warning", span(database.commit_warning)),
        ("database.require_sync", SettingValue::Flag(database.require_sync)),
        ("database.max_bytes", SettingValue::Count(database.max_bytes)),
        ("runtime.longest_sleep", span(runtime.longest_sleep)),
        ("runtime.mail_poll", span(runtime.mail_poll)),
        ("runtime.keep_in_memory", span(runtime.keep_in_memory)),
        ("runtime.deletion_calls", count(runtime.deletion_calls)),
        ("runtime.task_answer", span(runtime.task_answer)),
        ("runtime.lease", span(runtime.lease)),
        ("runtime.lease_margin", span(runtime.lease_margin)),
        ("runtime.shares_database", SettingValue::Flag(runtime.shares_database)),
        ("runtime.reclaim", span(runtime.reclaim)),
        ("runtime.takeover_wait", span(runtime.takeover_wait)),
        ("runtime.attachment_lease", span(runtime.attachment_lease)),
        ("runtime.summary_pieces", count(runtime.summary_pieces)),
        ("network.jitter", span(runtime.jitter)),
        ("network.calls_at_once", count(runtime.calls_at_once)),
        ("network.calls_in_tree", count(runtime.calls_in_tree)),
        ("network.probe", span(runtime.network_probe)),
        ("network.address_check", span(settings.address_check)),
        ("stream.text_bytes", count(runtime.live.text)),
        ("stream.reasoning_bytes", count(runtime.live.thoughts)),
        ("stream.total_bytes", count(runtime.live.total)),
    ];
    let values = values.into_iter().chain(server::shown(&settings.server));
    let values = values.chain(knowledge::shown(&settings.knowledge));
    let values = values.chain(notify::shown(&settings.notify));
    let values = values.chain(policy::shown(&runtime.policy_hook));
    let values = values.chain(policy::shown_source(settings.policy.as_ref()));
    let values = values.chain(retention::shown(&runtime.retention));
    let values = values.chain(inbox::shown(&runtime.inbox));
    let values = values.chain(files::shown(&runtime.files));
    let values = values.chain(telemetry::shown(&settings.telemetry));
    let values = values.chain(embeddings::shown(&settings.embeddings, &settings.shared_texts));
    let origin = |key: &str| match key {
        "database.url" => origin_of(settings, &[key, "data"]),
        _ => origin_of(settings, &[key]),
    };
    values
        .map(|(key, value)| EffectiveSetting {
            key: key.to_owned(),
            value: value.to_string(),
            origin: origin(key),
        })
        .collect()
}

fn origin_of(settings: &AppSettings, keys: &[&str]) -> String {
    let found = keys.iter().find_map(|key| settings.set.values.get(*key));
    found.map_or_else(|| DEFAULT.to_owned(), |(_, origin)| origin.clone())
}

/// The limits: one line if all session kinds share the value, else one for each kind.
fn limits(settings: &AppSettings) -> Vec<EffectiveSetting> {
    let mut all = Vec::new();
    let profile = settings.set.values.get("limits.profile");
    let word = profile.map_or_else(|| "\"autonomous\"".to_owned(), |(value, _)| value.to_string());
    let origin = origin_of(settings, &["limits.profile"]);
    all.push(EffectiveSetting { key: "limits.profile".to_owned(), value: word, origin });
    for field in rules::validation() {
        let key = format!("validation.{}", field.name);
        let value = (field.get)(settings.rules.rules_for_kind(SessionKind::Chat)).to_string();
        all.push(EffectiveSetting { origin: origin_of(settings, &[&key]), value, key });
    }
    for field in rules::fields() {
        let general = format!("limits.{}", field.name);
        let values = of_kinds(&settings.rules, &field);
        if values.windows(2).all(|pair| pair[0] == pair[1]) {
            let value = values.first().cloned().unwrap_or_default();
            all.push(EffectiveSetting { origin: origin_of(settings, &[&general]), value, key: general });
            continue;
        }
        for (kind, value) in KINDS.iter().zip(values) {
            let key = format!("limits.{kind}.{}", field.name);
            all.push(EffectiveSetting { origin: origin_of(settings, &[&key, &general]), value, key });
        }
    }
    all
}

fn of_kinds(rules: &RuleBook, field: &rules::RulesField) -> Vec<String> {
    let kinds = KINDS.iter().filter_map(|kind| SessionKind::from_word(kind));
    kinds.map(|kind| (field.get)(rules.rules_for_kind(kind)).to_string()).collect()
}

fn agent(entry: &AgentEntry) -> Vec<EffectiveSetting> {
    let Ok(toml::Value::Table(table)) = toml::Value::try_from(&entry.declared) else { return Vec::new() };
    let name = &entry.declared.name;
    let set = table.into_iter().map(|(key, value)| EffectiveSetting {
        key: format!("agents.{name}.{key}"),
        value: value.to_string(),
        origin: entry.origin.clone(),
    });
    set.collect()
}

fn provider(entry: &LayerProviderEntry) -> Vec<EffectiveSetting> {
    let Ok(toml::Value::Table(table)) = toml::Value::try_from(&entry.config) else { return Vec::new() };
    let set = table.into_iter().map(|(key, value)| {
        let value = match key.as_str() {
            // A session's default differs from the entry's own, see `layers::LayerProviderEntry`.
            "dialect" => format!("\"{}\"", entry.dialect.word()),
            _ => value.to_string(),
        };
        let origin = entry.model_origin.as_ref().filter(|_| key == "model").unwrap_or(&entry.origin);
        EffectiveSetting { origin: origin.clone(), key: format!("providers.{}.{key}", entry.name), value }
    });
    set.collect()
}
