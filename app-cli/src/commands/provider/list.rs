//! `provider list`, and texts about a provider.

use std::path::Path;
use std::sync::Arc;

use entracte_adapters_providers::config::FallbackConfig;
use entracte_application::ports::{SecretReference, SecretStore};
use entracte_application::texts::{LocalizedTexts, say};
use serde_json::{Value, json};

use crate::command_context::CommandContext;
use crate::config::{BUILT_IN, LayerProviderEntry};
use crate::error::{CliError, CliExitCode};
use crate::render::listing::{heads, write_table};
use crate::secrets::provider_keys;

/// Lists all providers.
pub(super) fn list(context: &CommandContext) -> Result<CliExitCode, CliError> {
    let entries = &context.settings.providers;
    let secrets = provider_keys(entries);
    if context.out.json {
        let all: Vec<Value> = entries.iter().map(|entry| object(context, entry, &secrets)).collect();
        context.out.write_json_line(&json!({ "schema": "entracte.providers/1", "providers": all }))?;
        return Ok(CliExitCode::Done);
    }
    let texts = context.environment.texts();
    // Most configurations have no fallbacks, and then the column is left out.
    let any_falls_back = entries.iter().any(|entry| !lists(entry).is_empty());
    let row = |entry: &LayerProviderEntry| {
        let mut row = vec![
            if is_default(context, entry) { "*".to_owned() } else { String::new() },
            entry.name.clone(),
            entry.config.kind.word().to_owned(),
            entry.config.model.clone().unwrap_or_default(),
            entry.dialect.word().to_owned(),
            key_words(entry, &secrets, texts),
            origin_words(entry, texts),
        ];
        if any_falls_back {
            row.insert(row.len() - 1, lists_words(entry));
        }
        row
    };
    let rows: Vec<Vec<String>> = entries.iter().map(row).collect();
    let mut head = heads(texts, &["name", "kind", "model", "dialect", "key", "from"]);
    if any_falls_back {
        head.insert(head.len() - 1, say!(texts, "head-fallback"));
    }
    head.insert(0, String::new());
    write_table(&context.out, &head, &rows)?;
    Ok(CliExitCode::Done)
}

/// Whether it is the provider of new sessions that name none.
pub(super) fn is_default(context: &CommandContext, entry: &LayerProviderEntry) -> bool {
    context.settings.default_provider.as_deref() == Some(&entry.name)
}

/// A provider as JSON.
pub(super) fn object(
    context: &CommandContext,
    entry: &LayerProviderEntry,
    secrets: &Arc<dyn SecretStore>,
) -> Value {
    json!({
        "name": entry.name,
        "kind": entry.config.kind.word(),
        "model": entry.config.model,
        "dialect": entry.dialect.word(),
        "base_url": entry.config.base_url,
        "default": is_default(context, entry),
        "key": entry.config.secret_reference().map(|place| place_words(&place)),
        "key_set": entry.config.secret_reference().and_then(|place| is_set(&place, secrets.as_ref())),
        "fallback": entry.config.fallback,
        "origin": entry.origin,
    })
}

/// Its origin: the position in a file, or a text for a built-in one.
pub(super) fn origin_words(entry: &LayerProviderEntry, texts: &LocalizedTexts) -> String {
    if entry.origin == BUILT_IN { say!(texts, "provider-origin-built-in") } else { entry.origin.clone() }
}

/// Its fallbacks by the kind of failure; empty lists are left out.
fn lists(entry: &LayerProviderEntry) -> Vec<(&'static str, &[String])> {
    let all = entry.config.fallback.iter().flat_map(FallbackConfig::lists);
    all.filter(|(_, names)| !names.is_empty()).collect()
}

/// The fallbacks as text.
pub(in crate::commands) fn lists_words(entry: &LayerProviderEntry) -> String {
    let words: Vec<String> =
        lists(entry).into_iter().map(|(key, names)| format!("{key}: {}", names.join(", "))).collect();
    words.join("; ")
}

/// The place of the key and whether it is set; never the key.
pub(super) fn key_words(
    entry: &LayerProviderEntry,
    secrets: &Arc<dyn SecretStore>,
    texts: &LocalizedTexts,
) -> String {
    match entry.config.secret_reference() {
        None => say!(texts, "provider-key-none"),
        Some(place) => {
            let there = set_words(is_set(&place, secrets.as_ref()));
            let there = texts.render(&format!("provider-note-{}", there.replace(' ', "-")), &[]);
            format!("{} ({there})", place_words(&place))
        }
    }
}

/// Whether a key is set. `None` for a program that was not run, or a pipe that was not read, which delivers its
/// content once; a list runs and reads none.
pub(in crate::commands) fn is_set(place: &SecretReference, secrets: &dyn SecretStore) -> Option<bool> {
    match place {
        SecretReference::File(path) if Path::new(path).metadata().is_ok_and(|found| !found.is_file()) => None,
        SecretReference::Environment(_) | SecretReference::File(_) => Some(secrets.secret(place).is_ok()),
        SecretReference::Command(_) => None,
    }
}

/// The state as a word; its text has the key `provider-note-` and this word.
pub(super) const fn set_words(is_set: Option<bool>) -> &'static str {
    match is_set {
        Some(true) => "set",
        Some(false) => "not set",
        None => "run at each call",
    }
}

/// The place of a key as text.
pub(in crate::commands) fn place_words(place: &SecretReference) -> String {
    match place {
        SecretReference::Environment(name) => name.clone(),
        SecretReference::File(path) => path.clone(),
        SecretReference::Command(program) => program.name().to_owned(),
    }
}
