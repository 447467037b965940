//! The providers of a process whose configuration changes while it runs.

use std::sync::{Arc, PoisonError, RwLock};

use entracte_application::ports::{Provider, ProviderFailure, ProviderRegistry};

use crate::registry::ConfigProviderRegistry;

/// A registry that can be replaced. Each model call looks its provider up when it begins, and goes on with it to its
/// end, whatever is replaced meanwhile.
#[derive(Debug)]
pub struct ReplaceableProviderRegistry(RwLock<Arc<ConfigProviderRegistry>>);

impl ReplaceableProviderRegistry {
    /// The registry at the start of the process.
    pub fn new(registry: ConfigProviderRegistry) -> Self {
        Self(RwLock::new(Arc::new(registry)))
    }

    /// Replaces the registry. Providers whose entry is the same stay as they are, with what they know of their server.
    pub fn replace(&self, next: ConfigProviderRegistry) {
        let mut current = self.0.write().unwrap_or_else(PoisonError::into_inner);
        next.adopt_unchanged(&current);
        *current = Arc::new(next);
    }

    fn current(&self) -> Arc<ConfigProviderRegistry> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl ProviderRegistry for ReplaceableProviderRegistry {
    fn provider(&self, name: &str) -> Result<Arc<dyn Provider>, ProviderFailure> {
        self.current().provider(name)
    }

    fn names(&self) -> Vec<String> {
        self.current().names()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use entracte_application::system::{SystemClock, SystemSecretStore};

    use super::*;
    use crate::config::ProviderConfig;

    fn registry(entries: &[(&str, &str)]) -> ConfigProviderRegistry {
        let entry = |(name, model): &(&str, &str)| {
            let text =
                format!("kind = \"compatible\"\nbase_url = \"http://localhost:1/v1\"\nmodel = \"{model}\"");
            ((*name).to_owned(), ProviderConfig::from_toml(name, &text).unwrap())
        };
        let entries: BTreeMap<_, _> = entries.iter().map(entry).collect();
        let crypto = Arc::new(rustls::crypto::ring::default_provider());
        ConfigProviderRegistry::new(entries, Arc::new(SystemSecretStore), Arc::new(SystemClock), crypto)
    }

    /// Input: providers `same` and `other`, of which `other` gets another model and `gone` goes; expected: a call that holds
    /// a provider keeps it, `same` is the very one as before, and the next call finds the new ones.
    #[test]
    fn replaced_providers_count_from_next_call() {
        let providers =
            ReplaceableProviderRegistry::new(registry(&[("same", "m"), ("other", "old"), ("gone", "m")]));
        let [same, other] = ["same", "other"].map(|name| providers.provider(name).unwrap());
        providers.replace(registry(&[("same", "m"), ("other", "new"), ("added", "m")]));
        assert_eq!(other.info().default_model, "old", "the running call");
        assert_eq!(providers.provider("other").unwrap().info().default_model, "new");
        assert!(Arc::ptr_eq(&same, &providers.provider("same").unwrap()));
        assert_eq!(providers.names(), ["added", "other", "same"]);
        assert!(providers.provider("gone").is_err());
    }
}
