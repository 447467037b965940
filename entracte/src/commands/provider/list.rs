//! `provider list`, and texts about a provider.

use std::collections::BTreeMap;

use entracte_adapters_http::api_transport::api_path::ApiPath;
use entracte_adapters_http::shapes::workspace::ProviderShape;
use entracte_adapters_providers::config::FallbackConfig;
use entracte_application::texts::{LocalizedTexts, say};
use serde::Serialize;

use super::listed_entries::{entries_with_key_state, fallback_of};
use crate::api_client::ApiClient;
use crate::command_context::CommandContext;
use crate::config::{BUILT_IN, LayerProviderEntry};
use crate::error::{CliError, CliExitCode};
use crate::json::VersionedShape;
use crate::render::listing::{heads, write_table};

/// What `provider list --json` prints.
#[derive(Serialize)]
struct ProvidersObject {
    providers: Vec<ProviderShape>,
}

/// Lists all providers: those of the server that the command names, or of this machine's configuration, which needs no
/// database.
pub(super) async fn list(context: &CommandContext) -> Result<CliExitCode, CliError> {
    let providers: Vec<ProviderShape> = match &context.server {
        Some(_) => ApiClient::open(context).await?.list(&ApiPath::new(&["providers"])).await?,
        None => entries_with_key_state(&context.settings).iter().map(ProviderShape::from).collect(),
    };
    if context.out.json {
        let object = VersionedShape::new("entracte.providers/2", ProvidersObject { providers });
        context.out.write_json_line(&object)?;
        return Ok(CliExitCode::Done);
    }
    let texts = context.environment.texts();
    // Most configurations have no fallbacks, and then the column is left out.
    let any_falls_back = providers.iter().any(|entry| !fallback_words(&entry.fallback).is_empty());
    let row = |entry: &ProviderShape| {
        let mut row = vec![
            if entry.default { "*".to_owned() } else { String::new() },
            entry.name.clone(),
            entry.kind.clone(),
            entry.model.clone().unwrap_or_default(),
            entry.dialect.to_string(),
            key_words(entry, texts),
            origin_words(&entry.origin, texts),
        ];
        if any_falls_back {
            row.insert(row.len() - 1, fallback_words(&entry.fallback));
        }
        row
    };
    let rows: Vec<Vec<String>> = providers.iter().map(row).collect();
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

/// Its origin: the position in a file, or a text for a built-in one.
pub(super) fn origin_words(origin: &str, texts: &LocalizedTexts) -> String {
    if origin == BUILT_IN { say!(texts, "provider-origin-built-in") } else { origin.to_owned() }
}

/// The fallbacks as text, in the order of the configuration.
fn fallback_words(fallback: &BTreeMap<String, Vec<String>>) -> String {
    let kinds = FallbackConfig::default().lists().map(|(key, _)| key);
    let lists = kinds.into_iter().filter_map(|key| Some((key, fallback.get(key)?)));
    let words: Vec<String> = lists.map(|(key, names)| format!("{key}: {}", names.join(", "))).collect();
    words.join("; ")
}

/// The fallbacks of an entry as text.
pub(in crate::commands) fn lists_words(entry: &LayerProviderEntry) -> String {
    fallback_words(&fallback_of(entry))
}

/// The place of the key and whether it is set; never the key.
fn key_words(entry: &ProviderShape, texts: &LocalizedTexts) -> String {
    match &entry.key {
        None => say!(texts, "provider-key-none"),
        // A server tells only operators where an entry stands, and whether its key is set.
        Some(place) if entry.origin.is_empty() => place.clone(),
        Some(place) => {
            let there = set_words(entry.key_set);
            let there = texts.render(&format!("provider-note-{}", there.replace(' ', "-")), &[]);
            format!("{place} ({there})")
        }
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

#[cfg(test)]
mod tests {
    use entracte_application::settings::Language;
    use serde_json::json;

    use super::*;

    /// Input: a provider whose server tells where its entry stands, and one whose server does not; expected: whether the key is
    /// set is said of the first only.
    #[test]
    fn key_that_a_server_does_not_tell_of_has_only_its_place() {
        let texts = LocalizedTexts::for_language(Language::En);
        let shown = |origin: &str, key_set: Option<bool>| {
            let shape = json!({
                "name": "main", "kind": "openai", "dialect": "tools", "default": true, "key": "MAIN_KEY",
                "key_set": key_set, "origin": origin, "fallback": {},
            });
            key_words(&serde_json::from_value(shape).unwrap(), texts)
        };
        assert_eq!(shown("/etc/entracte.toml:3", Some(true)), "MAIN_KEY (set)");
        assert_eq!(shown("", None), "MAIN_KEY");
    }
}
