//! The providers as clients of the API see them: without keys.

use std::collections::BTreeMap;
use std::path::Path;

use entracte_adapters_http::server_state::PublicProviderEntry;
use entracte_application::ports::{SecretReference, SecretStore};

use crate::config::{AppSettings, BUILT_IN, LayerProviderEntry};
use crate::secrets::provider_keys;

/// The providers of these settings. Whether their keys are set is not looked at, which would read files.
pub(in crate::commands) fn public_entries(settings: &AppSettings) -> Vec<PublicProviderEntry> {
    let entry = |entry: &LayerProviderEntry| PublicProviderEntry {
        name: entry.name.clone(),
        kind: entry.config.kind.word().to_owned(),
        model: entry.config.model.clone(),
        dialect: entry.dialect,
        base_url: entry.config.base_url.clone(),
        is_default: settings.default_provider.as_deref() == Some(&entry.name),
        key: entry.config.secret_reference().map(|place| place_words(&place)),
        key_set: None,
        origin: entry.origin.clone(),
        fallback: fallback_of(entry),
    };
    let given = settings.parts.providers.iter().map(|(name, given)| {
        let info = given.provider.info();
        PublicProviderEntry {
            name: name.clone(),
            kind: info.kind,
            model: Some(info.default_model),
            dialect: given.dialect,
            base_url: info.base_url,
            is_default: settings.default_provider.as_ref() == Some(name),
            key: None,
            key_set: None,
            origin: BUILT_IN.to_owned(),
            fallback: BTreeMap::new(),
        }
    });
    let configured = settings.providers.iter().filter(|entry| !is_given(settings, &entry.name));
    configured.map(entry).chain(given).collect()
}

/// Whether the host of the program gives the provider of this name.
fn is_given(settings: &AppSettings, name: &str) -> bool {
    settings.parts.providers.contains_key(name)
}

/// The providers of these settings, and whether their keys are set.
pub(in crate::commands) fn entries_with_key_state(settings: &AppSettings) -> Vec<PublicProviderEntry> {
    let keys = provider_keys(&settings.parts, &settings.providers);
    let key_set = |name: &str| {
        let entry = settings.providers.iter().find(|entry| entry.name == name && !is_given(settings, name));
        entry?.config.secret_reference().and_then(|place| is_set(&place, keys.as_ref()))
    };
    let listed = public_entries(settings).into_iter();
    listed.map(|listed| PublicProviderEntry { key_set: key_set(&listed.name), ..listed }).collect()
}

/// The fallbacks of a provider by the kind of failure; empty ones are left out.
pub(super) fn fallback_of(entry: &LayerProviderEntry) -> BTreeMap<String, Vec<String>> {
    let lists = entry.config.fallback.iter().flat_map(|fallback| fallback.lists());
    let named = lists.filter(|(_, names)| !names.is_empty());
    named.map(|(key, names)| (key.to_owned(), names.to_vec())).collect()
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

/// The place of a key as text.
pub(in crate::commands) fn place_words(place: &SecretReference) -> String {
    match place {
        SecretReference::Environment(name) => name.clone(),
        SecretReference::File(path) => path.clone(),
        SecretReference::Command(program) => program.name().to_owned(),
    }
}
