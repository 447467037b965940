//! All secrets of a configuration, taken out of what a model says.

use std::sync::Arc;

use entracte_application::ports::{
    self, PersonSecretStore, SecretOwner, SecretReference, SecretScrubberFactory, SecretStore,
};

#[cfg(feature = "mcp")]
use crate::mcp::login::McpLoginStore;
use entracte_application::system::SecretScrubber;

/// The secrets of a configuration, by the places where they are kept.
pub struct ConfiguredSecretValues {
    places: Vec<SecretReference>,
    store: Arc<dyn SecretStore>,
    #[cfg(feature = "mcp")]
    logins: Option<McpLoginStore>,
    people: Option<Arc<dyn PersonSecretStore>>,
}

impl ConfiguredSecretValues {
    /// The secrets in these places of the store.
    pub fn new(mut places: Vec<SecretReference>, store: Arc<dyn SecretStore>) -> Self {
        places.dedup();
        Self {
            places,
            store,
            #[cfg(feature = "mcp")]
            logins: None,
            people: None,
        }
    }

    /// The same and the tokens of these logins.
    #[cfg(feature = "mcp")]
    #[must_use]
    pub fn with_logins(self, logins: McpLoginStore) -> Self {
        Self { logins: Some(logins), ..self }
    }

    /// The same and the secrets that people bring.
    #[must_use]
    pub fn with_people(self, people: Arc<dyn PersonSecretStore>) -> Self {
        Self { people: Some(people), ..self }
    }
}

impl SecretScrubberFactory for ConfiguredSecretValues {
    fn scrubber(&self, holders: &[SecretOwner]) -> Arc<dyn ports::Scrubber> {
        // Whoever needs one that cannot be read says so; it was given to nobody, so nobody can repeat it.
        let secrets = self.places.iter().filter_map(|place| self.store.secret(place).ok());
        #[cfg(feature = "mcp")]
        let secrets = secrets.chain(self.logins.iter().flat_map(McpLoginStore::secrets));
        let own = |people: &Arc<dyn PersonSecretStore>| {
            holders.iter().flat_map(|holder| people.secrets(holder)).collect::<Vec<_>>()
        };
        let own = self.people.iter().flat_map(own);
        Arc::new(SecretScrubber::new(secrets.chain(own).collect()))
    }
}
