//! The parts of the program that its host gives in place of what the configuration names.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use entracte_adapters_db::Database;
use entracte_application::ports::{
    Clock, CommandExecutor, EmbeddingClient, NotificationSender, Observer, Provider, ProviderFailure,
    ProviderRegistry, SecretStore,
};
use entracte_application::system::{SystemClock, SystemSecretStore};
use entracte_domain::session::{Dialect, ModelSelection};
use rustls::crypto::CryptoProvider;

use crate::cryptography::default_cryptography;
use crate::program_stores::ProgramStores;

/// Chooses the stores of the program: gets those of the configured database.
pub(crate) type StoreChoice = Arc<dyn Fn(ProgramStores) -> ProgramStores + Send + Sync>;

/// A provider of the host.
#[derive(Clone)]
pub(crate) struct HostProvider {
    /// The provider.
    pub(crate) provider: Arc<dyn Provider>,
    /// How its sessions write commands.
    pub(crate) dialect: Dialect,
}

impl HostProvider {
    /// The model of a session that uses it under this name: `model`, else its default one.
    pub(crate) fn selection(&self, name: &str, model: Option<String>) -> ModelSelection {
        let model = model.unwrap_or_else(|| self.provider.info().default_model);
        ModelSelection { provider: name.to_owned(), model, dialect: self.dialect }
    }
}

/// The parts that a host gives; the default gives none.
#[derive(Clone)]
pub(crate) struct ProgramParts {
    /// Chooses the stores; `None`: those of the configured database.
    pub(crate) stores: Option<StoreChoice>,
    /// The host's providers by name.
    pub(crate) providers: BTreeMap<String, HostProvider>,
    /// The host's makers of vectors, by the names that `embeddings.provider` has for them.
    pub(crate) embeddings: BTreeMap<String, Arc<dyn EmbeddingClient>>,
    /// The host's executors, beside those of the configuration.
    pub(crate) executors: Vec<Arc<dyn CommandExecutor>>,
    /// The host's observers, beside the metrics.
    pub(crate) observers: Vec<Arc<dyn Observer>>,
    /// The clock.
    pub(crate) clock: Arc<dyn Clock>,
    /// Reads secrets by the references of the configuration.
    pub(crate) secrets: Arc<dyn SecretStore>,
    /// Sends notifications to their targets; `None`: over the network, as the configuration allows.
    pub(crate) sender: Option<Arc<dyn NotificationSender>>,
    /// The cryptography of TLS.
    pub(crate) cryptography: Arc<CryptoProvider>,
    /// The program that reads untrusted documents in a process of its own; `None`: a thread of this process does.
    pub(crate) document_reader: Option<PathBuf>,
}

impl Default for ProgramParts {
    fn default() -> Self {
        Self {
            stores: None,
            providers: BTreeMap::new(),
            embeddings: BTreeMap::new(),
            executors: Vec::new(),
            observers: Vec::new(),
            clock: Arc::new(SystemClock),
            secrets: Arc::new(SystemSecretStore),
            sender: None,
            cryptography: default_cryptography(),
            document_reader: None,
        }
    }
}

impl fmt::Debug for ProgramParts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProgramParts").field("providers", &self.providers.keys()).finish_non_exhaustive()
    }
}

impl ProgramParts {
    /// The stores to use over a database.
    pub(crate) fn stores_over(&self, database: &Database) -> ProgramStores {
        let stores = ProgramStores::of(database);
        match &self.stores {
            Some(choose) => choose(stores),
            None => stores,
        }
    }

    /// The cryptography of a TLS connection.
    pub(crate) fn crypto(&self) -> Arc<CryptoProvider> {
        self.cryptography.clone()
    }

    /// These configured providers, after those of the host.
    pub(crate) fn providers_before(
        &self,
        configured: Arc<dyn ProviderRegistry>,
    ) -> Arc<dyn ProviderRegistry> {
        if self.providers.is_empty() {
            return configured;
        }
        let given = self.providers.iter().map(|(name, given)| (name.clone(), given.provider.clone()));
        Arc::new(HostFirstRegistry { given: given.collect(), configured })
    }
}

/// The providers of the host, then the configured ones.
struct HostFirstRegistry {
    given: BTreeMap<String, Arc<dyn Provider>>,
    configured: Arc<dyn ProviderRegistry>,
}

impl ProviderRegistry for HostFirstRegistry {
    fn provider(&self, name: &str) -> Result<Arc<dyn Provider>, ProviderFailure> {
        match self.given.get(name) {
            Some(provider) => Ok(provider.clone()),
            None => self.configured.provider(name),
        }
    }

    fn names(&self) -> Vec<String> {
        let names: BTreeSet<String> = self.given.keys().cloned().chain(self.configured.names()).collect();
        names.into_iter().collect()
    }
}
