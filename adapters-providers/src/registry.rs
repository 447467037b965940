//! The providers of a configuration, each constructed on first use.
//!
//! Nothing is checked before a provider is used: a wrong entry, or a key that is not set, does not affect other
//! entries.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use entracte_application::ports::{
    Clock, EmbeddingClient, Provider, ProviderDescription, ProviderFailure, ProviderRegistry, SecretStore,
};
use entracte_application::protocol::relay;
use entracte_application::texts::saying;
use entracte_domain::session::failure::FailureClass;
use reqwest::Url;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use rustls::crypto::CryptoProvider;

use crate::api_key::ApiKeySource;
use crate::config::{ConfigError, ProviderConfig};
use crate::embedder::{EmbeddingsConfig, NetworkEmbeddings};
use crate::encoder_settings::EncoderSettings;
use crate::network_provider::NetworkProvider;
use crate::prices;
use crate::profiles::{KeyHeader, ProviderProfile};
use crate::provider_kind::KeyAuth;
use crate::rehearsal::{CharacterNgramEmbeddings, RehearsalProvider};
use crate::relay_provider::RelayProvider;
use crate::transport::HttpTransport;

/// Registry of the configured providers.
pub struct ConfigProviderRegistry {
    entries: BTreeMap<String, ProviderConfig>,
    secrets: Arc<dyn SecretStore>,
    clock: Arc<dyn Clock>,
    crypto: Arc<CryptoProvider>,
    made: Mutex<BTreeMap<String, Arc<dyn Provider>>>,
}

impl ConfigProviderRegistry {
    /// A registry of these entries. Keys are read from `secrets` at each call; `clock` serves the delays of rehearsals
    /// and `retry-after` dates; `crypto` is the cryptography of TLS connections.
    pub fn new(
        entries: BTreeMap<String, ProviderConfig>,
        secrets: Arc<dyn SecretStore>,
        clock: Arc<dyn Clock>,
        crypto: Arc<CryptoProvider>,
    ) -> Self {
        Self { entries, secrets, clock, crypto, made: Mutex::default() }
    }

    /// The entry of this name.
    pub fn config(&self, name: &str) -> Option<&ProviderConfig> {
        self.entries.get(name)
    }

    /// Takes over the providers of `before` whose entry is the same.
    pub(crate) fn adopt_unchanged(&self, before: &Self) {
        let known = before.made.lock().unwrap_or_else(PoisonError::into_inner);
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        for (name, provider) in known.iter() {
            let entry = self.entries.get(name);
            if entry.is_some() && entry == before.entries.get(name) {
                made.insert(name.clone(), Arc::clone(provider));
            }
        }
    }

    /// The embeddings client of an entry: its server, or an offline one for a rehearsal.
    ///
    /// # Errors
    /// If the entry does not exist or cannot be used.
    pub fn embeddings(&self, config: EmbeddingsConfig) -> Result<Arc<dyn EmbeddingClient>, ProviderFailure> {
        let name = config.provider.as_str();
        let entry = self.entries.get(name).ok_or_else(|| self.unknown(name))?;
        entry.check(name).map_err(|error| misconfigured(error.to_string()))?;
        match ProviderProfile::of_kind(entry.kind) {
            Some(profile) => {
                Ok(Arc::new(NetworkEmbeddings { client: self.client(name, entry, profile)?, config }))
            }
            None => Ok(Arc::new(CharacterNgramEmbeddings(config))),
        }
    }

    fn make(&self, name: &str) -> Result<Arc<dyn Provider>, ProviderFailure> {
        if relay::is_relay(name) {
            return Ok(Arc::new(RelayProvider));
        }
        let config = self.entries.get(name).ok_or_else(|| self.unknown(name))?;
        config.check(name).map_err(|error| misconfigured(error.to_string()))?;
        match ProviderProfile::of_kind(config.kind) {
            Some(profile) => Ok(Arc::new(self.client(name, config, profile)?)),
            None => Ok(Arc::new(self.rehearsal(name, config)?)),
        }
    }

    fn client(
        &self,
        name: &str,
        config: &ProviderConfig,
        profile: &'static ProviderProfile,
    ) -> Result<NetworkProvider, ProviderFailure> {
        let address = config.base_url.as_deref().or(profile.base_url).unwrap_or_default();
        let base = Url::parse(address).map_err(|error| not_an_address(name, address, &error.to_string()))?;
        let transport = HttpTransport::new(&base, config, Arc::clone(&self.crypto)).map_err(|trouble| {
            misconfigured(format!("providers.{name}: the connection cannot be prepared: {}", trouble.words))
        })?;
        Ok(NetworkProvider {
            info: info(name, config, profile, address),
            base,
            key: ApiKeySource {
                secrets: Arc::clone(&self.secrets),
                reference: config.secret_reference(),
                header: config.auth.map_or(profile.key_header, key_header),
            },
            settings: EncoderSettings::of(profile, config),
            config: config.clone(),
            extra_headers: extra_headers(config),
            transport,
            offered: Mutex::default(),
            windows: Mutex::default(),
            clock: Arc::clone(&self.clock),
        })
    }

    fn rehearsal(&self, name: &str, config: &ProviderConfig) -> Result<RehearsalProvider, ProviderFailure> {
        let path = config.script.as_deref().unwrap_or_default();
        let rehearsal = RehearsalProvider::from_file(path, Arc::clone(&self.clock))
            .map_err(|error| misconfigured(format!("providers.{name}.script: {error}")))?;
        let rehearsal = rehearsal.with_name(name, config.model.as_deref());
        let limited = rehearsal.with_limits(config.context_tokens, config.max_output_tokens);
        Ok(limited.with_prices(config.prices))
    }

    fn unknown(&self, name: &str) -> ProviderFailure {
        let known: Vec<&str> = self.entries.keys().map(String::as_str).collect();
        let fix = if known.is_empty() {
            format!("add [providers.{name}] to the configuration")
        } else {
            format!("add [providers.{name}] to the configuration, or use one of: {}", known.join(", "))
        };
        misconfigured(format!("there is no provider “{name}”; {fix}"))
    }
}

impl ProviderRegistry for ConfigProviderRegistry {
    fn provider(&self, name: &str) -> Result<Arc<dyn Provider>, ProviderFailure> {
        // A panic elsewhere leaves the map valid: only finished providers are inserted.
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(provider) = made.get(name) {
            return Ok(Arc::clone(provider));
        }
        let provider = self.make(name)?;
        made.insert(name.to_owned(), Arc::clone(&provider));
        Ok(provider)
    }

    fn names(&self) -> Vec<String> {
        self.entries.keys().cloned().collect()
    }
}

impl std::fmt::Debug for ConfigProviderRegistry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Registry").field("entries", &self.entries).finish_non_exhaustive()
    }
}

fn info(
    name: &str,
    config: &ProviderConfig,
    profile: &ProviderProfile,
    address: &str,
) -> ProviderDescription {
    ProviderDescription {
        name: name.to_owned(),
        kind: config.kind.word().to_owned(),
        display_name: profile.display_name.to_owned(),
        default_model: config.model.clone().unwrap_or_default(),
        base_url: Some(address.to_owned()),
        context_tokens: config.context_tokens.or_else(|| prices::window(profile, config)),
        max_output_tokens: config.max_output_tokens,
    }
}

fn key_header(auth: KeyAuth) -> KeyHeader {
    match auth {
        KeyAuth::Bearer => KeyHeader::Bearer,
        KeyAuth::XApiKey => KeyHeader::XApiKey,
        KeyAuth::ApiKey => KeyHeader::ApiKey,
    }
}

/// The entry's additional headers; the check of the entry has validated them.
fn extra_headers(config: &ProviderConfig) -> HeaderMap {
    let pairs = config.extra_headers.iter().flatten();
    let read = pairs.filter_map(|(name, value)| {
        Some((HeaderName::from_bytes(name.as_bytes()).ok()?, HeaderValue::from_str(value).ok()?))
    });
    read.collect()
}

fn not_an_address(entry: &str, address: &str, problem: &str) -> ProviderFailure {
    let error = ConfigError {
        entry: entry.to_owned(),
        key: "base_url".to_owned(),
        problem: saying!("fault-no-address-because", given = address, why = problem),
        fix: saying!("fault-address-like"),
    };
    misconfigured(error.to_string())
}

fn misconfigured(message: String) -> ProviderFailure {
    ProviderFailure { class: FailureClass::Misconfigured, message, retry_after: None, usage: None }
}
