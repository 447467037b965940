//! All secrets of a configuration, for scrubbing them from what a model writes.

use std::sync::{Arc, PoisonError, RwLock};

use entracte_application::ports::{
    self, PersonSecretStore, SecretOwner, SecretReference, SecretScrubberFactory, SecretStore,
};

#[cfg(feature = "mcp")]
use crate::mcp::login::McpLoginStore;
use entracte_application::system::SecretScrubber;

/// Reads every secret of a configuration: stored ones, MCP login tokens, and people's own.
pub struct ConfiguredSecretValues {
    /// Replaced when the configuration of the running process changes.
    places: RwLock<Vec<SecretReference>>,
    store: Arc<dyn SecretStore>,
    #[cfg(feature = "mcp")]
    logins: Option<McpLoginStore>,
    people: Option<Arc<dyn PersonSecretStore>>,
}

impl ConfiguredSecretValues {
    /// Reads the secrets at these `places` of `store`.
    pub fn new(mut places: Vec<SecretReference>, store: Arc<dyn SecretStore>) -> Self {
        places.dedup();
        Self {
            places: RwLock::new(places),
            store,
            #[cfg(feature = "mcp")]
            logins: None,
            people: None,
        }
    }

    /// Reads the secrets at these places from now on.
    pub fn replace_places(&self, mut places: Vec<SecretReference>) {
        places.dedup();
        *self.places.write().unwrap_or_else(PoisonError::into_inner) = places;
    }

    /// Also reads the tokens of these MCP logins.
    #[cfg(feature = "mcp")]
    #[must_use]
    pub fn with_logins(self, logins: McpLoginStore) -> Self {
        Self { logins: Some(logins), ..self }
    }

    /// Also reads the secrets that people store for themselves.
    #[must_use]
    pub fn with_people(self, people: Arc<dyn PersonSecretStore>) -> Self {
        Self { people: Some(people), ..self }
    }
}

impl SecretScrubberFactory for ConfiguredSecretValues {
    fn scrubber(&self, holders: &[SecretOwner]) -> Arc<dyn ports::Scrubber> {
        // An unreadable secret is skipped: nothing received it, so nothing can repeat it. Its user reports the error.
        let places = self.places.read().unwrap_or_else(PoisonError::into_inner).clone();
        let secrets = places.iter().filter_map(|place| self.store.secret(place).ok());
        #[cfg(feature = "mcp")]
        let secrets = secrets.chain(self.logins.iter().flat_map(McpLoginStore::secrets));
        let own = |people: &Arc<dyn PersonSecretStore>| {
            holders.iter().flat_map(|holder| people.secrets(holder)).collect::<Vec<_>>()
        };
        let own = self.people.iter().flat_map(own);
        Arc::new(SecretScrubber::new(secrets.chain(own).collect()))
    }
}
