//! `provider show`: all effective keys in file syntax, including defaults.

use entracte_adapters_http::server_state::PublicProviderEntry;
use entracte_adapters_providers::config::{ProviderConfig, ProviderKind};
use entracte_adapters_providers::prices::{self, PriceOrigin};
use entracte_application::ports::{ProviderDescription, SecretStore};
use entracte_application::texts::{LocalizedTexts, say};
use entracte_domain::session::Dialect;
use serde_json::{Value, json};

use super::list::{origin_words, set_words};
use super::listed_entries::{ListedProvider, is_set};
use crate::colour::paint;
use crate::command_context::CommandContext;
use crate::config::LayerProviderEntry;
use crate::error::{CliError, CliExitCode};
use crate::program_parts::HostProvider;
use crate::render::text::one_line;
use crate::secrets::provider_keys;

/// An effective key: its value in file syntax, and a note.
struct ProviderSettingLine {
    key: String,
    value: toml::Value,
    notes: Vec<&'static str>,
}

/// Shows a provider.
pub(super) fn show(context: &CommandContext, name: &str) -> Result<CliExitCode, CliError> {
    let settings = &context.settings;
    let found = ListedProvider::find(settings, name)?;
    let keys = provider_keys(&settings.parts, &settings.providers);
    let entry = found.public_entry(settings);
    let lines = match found {
        ListedProvider::Given(_, given) => lines_of_host(given),
        ListedProvider::Configured(entry) => lines(entry, keys.as_ref()),
    };
    if context.out.json {
        let entry = PublicProviderEntry { key_set: found.key_set(keys.as_ref()), ..entry };
        return json_of(context, &entry, &lines);
    }
    let texts = context.environment.texts();
    let origin = match entry.is_default {
        true => say!(texts, "provider-origin-default", origin = origin_words(&entry.origin, texts)),
        false => origin_words(&entry.origin, texts),
    };
    let note = |text: String| paint(&format!("# {text}"), "2", context.out.style.colour);
    let head = format!("[providers.{}]", entry.name);
    context.out.write_data_line(&format!("{head}  {}", note(origin)))?;
    for ProviderSettingLine { key, value, notes } in &lines {
        let line = one_line(&format!("{key} = {value}"));
        let said: Vec<String> = notes
            .iter()
            .map(|note| texts.render(&format!("provider-note-{}", note.replace(' ', "-")), &[]))
            .collect();
        if notes.is_empty() {
            context.out.write_data_line(&line)?;
        } else {
            context.out.write_data_line(&format!("{line}  {}", note(said.join(", "))))?;
        }
    }
    let priced = match found {
        ListedProvider::Given(..) => None,
        ListedProvider::Configured(entry) => priced_by(entry, texts),
    };
    if let Some(says) = priced {
        context.out.write_data_line(&note(says))?;
    }
    Ok(CliExitCode::Done)
}

/// What a provider of the host says about itself.
fn lines_of_host(given: &HostProvider) -> Vec<ProviderSettingLine> {
    let ProviderDescription { kind, default_model, base_url, context_tokens, max_output_tokens, .. } =
        given.provider.info();
    let count = |count: u64| toml::Value::Integer(i64::try_from(count).unwrap_or(i64::MAX));
    let lines: [(&str, Option<toml::Value>); 6] = [
        ("kind", Some(kind.into())),
        ("model", Some(default_model.into())),
        ("base_url", base_url.map(toml::Value::from)),
        ("context_tokens", context_tokens.map(count)),
        ("max_output_tokens", max_output_tokens.map(|most| count(most.into()))),
        ("dialect", Some(given.dialect.word().into())),
    ];
    let line = |(key, value): (&str, Option<toml::Value>)| {
        Some(ProviderSettingLine { key: key.to_owned(), value: value?, notes: Vec::new() })
    };
    lines.into_iter().filter_map(line).collect()
}

/// The source of its model's prices; `None` if the entry has them, and for a script, which costs nothing.
fn priced_by(entry: &LayerProviderEntry, texts: &LocalizedTexts) -> Option<String> {
    let config = &entry.config;
    match prices::origin(config, config.model.as_deref().unwrap_or_default()) {
        Some(PriceOrigin::Entry) => None,
        Some(PriceOrigin::Answers) => Some(say!(texts, "provider-prices-told")),
        Some(PriceOrigin::Table) => {
            Some(say!(texts, "provider-prices-table", date = prices::date(), source = prices::source()))
        }
        None if config.kind == ProviderKind::Rehearsal => None,
        None => Some(say!(texts, "provider-prices-unknown")),
    }
}

fn json_of(
    context: &CommandContext,
    entry: &PublicProviderEntry,
    lines: &[ProviderSettingLine],
) -> Result<CliExitCode, CliError> {
    let settings: serde_json::Map<String, Value> =
        lines.iter().map(|line| (line.key.clone(), json!(line.value))).collect();
    let unset = lines.iter().filter(|line| line.notes.contains(&DEFAULT));
    let configured = context.settings.providers.iter().find(|configured| configured.name == entry.name);
    context.out.write_json_line(&json!({
        "schema": "entracte.provider/1",
        "name": entry.name,
        "kind": entry.kind,
        "model": entry.model,
        "dialect": entry.dialect.word(),
        "base_url": entry.base_url,
        "default": entry.is_default,
        "key": entry.key,
        "key_set": entry.key_set,
        "fallback": configured.and_then(|configured| configured.config.fallback.as_ref()),
        "origin": entry.origin,
        "settings": settings,
        "defaults": unset.map(|line| line.key.as_str()).collect::<Vec<&str>>(),
    }))?;
    Ok(CliExitCode::Done)
}

/// Prints the JSON Schema of an entry.
pub(super) fn schema(context: &CommandContext) -> Result<CliExitCode, CliError> {
    let schema = ProviderConfig::json_schema();
    if context.out.json {
        context
            .out
            .write_json_line(&json!({ "schema": "entracte.provider_schema/1", "json_schema": schema }))?;
    } else {
        context.out.write_data_line(&format!("{schema:#}"))?;
    }
    Ok(CliExitCode::Done)
}

fn lines(entry: &LayerProviderEntry, keys: &dyn SecretStore) -> Vec<ProviderSettingLine> {
    let secret = entry.config.secret_reference().and_then(|place| is_set(&place, keys));
    let set = table(&entry.config);
    let usual = table(&ProviderConfig::new(entry.config.kind));
    let lines = table(&entry.config.in_force()).into_iter().map(|(key, value)| {
        let value = match key.as_str() {
            // The schema's default is not a session's: see `config::LayerProviderEntry`.
            "dialect" => entry.dialect.word().into(),
            _ => value,
        };
        let mut notes = Vec::new();
        let written = set.get(&key).is_some_and(|set| key == "kind" || Some(set) != usual.get(&key));
        if !written && key != "dialect" {
            notes.push(DEFAULT);
        }
        if key.starts_with("api_key_") {
            notes.push(set_words(secret));
        }
        if key == "structured_output" && value.as_str() == Some("schema") {
            notes.push(shape_words(entry));
        }
        ProviderSettingLine { key, value, notes }
    });
    lines.collect()
}

/// How the schema of a reply is sent to the provider.
const fn shape_words(entry: &LayerProviderEntry) -> &'static str {
    match entry.dialect {
        Dialect::Tools => "not sent",
        Dialect::Envelope => "as enforced",
    }
}

fn table(config: &ProviderConfig) -> toml::Table {
    match toml::Value::try_from(config) {
        Ok(toml::Value::Table(table)) => table,
        Ok(_) | Err(_) => toml::Table::new(),
    }
}

const DEFAULT: &str = "default";
