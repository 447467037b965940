//! The providers as clients of the server see them: without keys.

use std::collections::BTreeMap;

use entracte_adapters_http::server_state::PublicProviderEntry;

use crate::commands::provider::place_words;
use crate::config::{AppSettings, LayerProviderEntry};

/// The providers of these settings.
pub(super) fn public_entries(settings: &AppSettings) -> Vec<PublicProviderEntry> {
    let entry = |entry: &LayerProviderEntry| PublicProviderEntry {
        name: entry.name.clone(),
        kind: entry.config.kind.word().to_owned(),
        model: entry.config.model.clone(),
        dialect: entry.dialect,
        base_url: entry.config.base_url.clone(),
        is_default: settings.default_provider.as_deref() == Some(&entry.name),
        key: entry.config.secret_reference().map(|place| place_words(&place)),
        fallback: fallback_of(entry),
    };
    settings.providers.iter().map(entry).collect()
}

/// The fallbacks of a provider by the kind of failure; empty ones are left out.
fn fallback_of(entry: &LayerProviderEntry) -> BTreeMap<String, Vec<String>> {
    let lists = entry.config.fallback.iter().flat_map(|fallback| fallback.lists());
    let named = lists.filter(|(_, names)| !names.is_empty());
    named.map(|(key, names)| (key.to_owned(), names.to_vec())).collect()
}
