//! The providers as clients of the API see them: without keys.

use std::collections::BTreeMap;
use std::path::Path;

use entracte_adapters_http::server_state::PublicProviderEntry;
use entracte_application::ports::{SecretReference, SecretStore};

use super::unknown;
use crate::config::{AppSettings, BUILT_IN, LayerProviderEntry};
use crate::error::CliError;
use crate::program_parts::HostProvider;
use crate::secrets::provider_keys;

/// A provider in force.
#[derive(Clone, Copy)]
pub(super) enum ListedProvider<'a> {
    /// The host of the program gives it, under this name.
    Given(&'a str, &'a HostProvider),
    /// The configuration has it.
    Configured(&'a LayerProviderEntry),
}

impl<'a> ListedProvider<'a> {
    /// All providers of these settings: the configured ones, then those that the host gives, also in front of one of that
    /// name.
    pub(super) fn all(settings: &'a AppSettings) -> impl Iterator<Item = Self> {
        let given = &settings.parts.providers;
        let configured = settings.providers.iter().filter(move |entry| !given.contains_key(&entry.name));
        configured.map(Self::Configured).chain(given.iter().map(|(name, given)| Self::Given(name, given)))
    }

    /// The provider of this name.
    ///
    /// # Errors
    /// When there is none.
    pub(super) fn find(settings: &'a AppSettings, name: &str) -> Result<Self, CliError> {
        let found = Self::all(settings).find(|known| known.name() == name);
        found.ok_or_else(|| {
            let known: Vec<String> = Self::all(settings).map(|known| known.name().to_owned()).collect();
            unknown(name, &known)
        })
    }

    fn name(self) -> &'a str {
        match self {
            Self::Given(name, _) => name,
            Self::Configured(entry) => &entry.name,
        }
    }

    /// The provider as clients see it. Whether its key is set is not looked at, which would read a file.
    pub(super) fn public_entry(self, settings: &AppSettings) -> PublicProviderEntry {
        let is_default = settings.default_provider.as_deref() == Some(self.name());
        match self {
            Self::Configured(entry) => PublicProviderEntry {
                name: entry.name.clone(),
                kind: entry.config.kind.word().to_owned(),
                model: entry.config.model.clone(),
                dialect: entry.dialect,
                base_url: entry.config.base_url.clone(),
                is_default,
                key: entry.config.secret_reference().map(|place| place_words(&place)),
                key_set: None,
                origin: entry.origin.clone(),
                fallback: fallback_of(entry),
            },
            Self::Given(name, given) => {
                let info = given.provider.info();
                // An entry under its name has its fallbacks.
                let entry = settings.providers.iter().find(|entry| entry.name == name);
                PublicProviderEntry {
                    name: name.to_owned(),
                    kind: info.kind,
                    model: Some(info.default_model),
                    dialect: given.dialect,
                    base_url: info.base_url,
                    is_default,
                    key: None,
                    key_set: None,
                    origin: BUILT_IN.to_owned(),
                    fallback: entry.map(fallback_of).unwrap_or_default(),
                }
            }
        }
    }

    /// Whether its key is set; `None` if it needs none, or that is not known before a call.
    pub(super) fn key_set(self, keys: &dyn SecretStore) -> Option<bool> {
        match self {
            Self::Given(..) => None,
            Self::Configured(entry) => entry.config.secret_reference().and_then(|place| is_set(&place, keys)),
        }
    }
}

/// The providers of these settings. Whether their keys are set is not looked at, which would read files.
pub(in crate::commands) fn public_entries(settings: &AppSettings) -> Vec<PublicProviderEntry> {
    ListedProvider::all(settings).map(|listed| listed.public_entry(settings)).collect()
}

/// The providers of these settings, and whether their keys are set.
pub(in crate::commands) fn entries_with_key_state(settings: &AppSettings) -> Vec<PublicProviderEntry> {
    let keys = provider_keys(&settings.parts, &settings.providers);
    let with_state = |listed: ListedProvider<'_>| PublicProviderEntry {
        key_set: listed.key_set(keys.as_ref()),
        ..listed.public_entry(settings)
    };
    ListedProvider::all(settings).map(with_state).collect()
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
