//! Secret stores over that of the program: by default environment variables, files and programs of this machine.

use std::sync::Arc;

use entracte_application::ports::{SECRET_LEAST_CHARS, SecretError, SecretReference, SecretStore};
use entracte_application::system::MinLengthSecretStore;
use secrecy::{ExposeSecret as _, SecretString};

use crate::config::LayerProviderEntry;
use crate::program_parts::ProgramParts;

/// The store for keys. It refuses one that is too short to be scrubbed from texts.
pub(crate) fn secrets(parts: &ProgramParts) -> Arc<dyn SecretStore> {
    Arc::new(MinLengthSecretStore(places(parts)))
}

/// The store for the location of the database, which may be any path.
pub(crate) fn places(parts: &ProgramParts) -> Arc<dyn SecretStore> {
    parts.secrets.clone()
}

/// The store for the keys of these providers. A short key is a placeholder if only local servers get it, otherwise it
/// is refused.
pub(crate) fn provider_keys(parts: &ProgramParts, entries: &[LayerProviderEntry]) -> Arc<dyn SecretStore> {
    Arc::new(ProviderKeys { keys: secrets(parts), all: places(parts), local: local_keys(entries) })
}

/// The places of keys that only servers on this machine or in its network get. Such servers require any key at all,
/// so people write `none` or `ollama`.
pub(crate) fn local_keys(entries: &[LayerProviderEntry]) -> Vec<SecretReference> {
    let keys = |local: bool| {
        let entries = entries.iter().filter(move |entry| entry.config.is_local() == local);
        entries.filter_map(|entry| entry.config.secret_reference())
    };
    let remote: Vec<SecretReference> = keys(false).collect();
    keys(true).filter(|place| !remote.contains(place)).collect()
}

/// Whether a local server's key is too short to be a secret.
pub(crate) fn is_placeholder(key: &SecretString) -> bool {
    key.expose_secret().chars().count() < SECRET_LEAST_CHARS
}

/// Reads provider keys, and allows placeholders for local servers.
struct ProviderKeys {
    keys: Arc<dyn SecretStore>,
    /// The same store, which refuses no short key.
    all: Arc<dyn SecretStore>,
    local: Vec<SecretReference>,
}

impl SecretStore for ProviderKeys {
    fn secret(&self, reference: &SecretReference) -> Result<SecretString, SecretError> {
        if self.local.contains(reference) { self.all.secret(reference) } else { self.keys.secret(reference) }
    }
}

#[cfg(test)]
mod tests {
    use entracte_adapters_providers::config::ProviderConfig;
    use entracte_domain::session::Dialect;

    use super::*;

    fn entry(name: &str, base_url: &str, key: &str) -> LayerProviderEntry {
        let text = format!(
            "kind = \"compatible\"\nmodel = \"m\"\nbase_url = \"{base_url}\"\napi_key_env = \"{key}\""
        );
        let config = ProviderConfig::from_toml(name, &text).unwrap();
        let (name, origin) = (name.to_owned(), String::new());
        LayerProviderEntry { name, config, dialect: Dialect::Tools, origin, model_origin: None, line: 0 }
    }

    /// Input: entries on this machine, in its network and elsewhere, two of which share a key; expected: the keys
    /// that only local ones get.
    #[test]
    fn shared_key_is_not_local() {
        let entries = [
            entry("a", "http://127.0.0.1:8000/v1", "A"),
            entry("b", "http://vllm:8000/v1", "B"),
            entry("c", "http://localhost:11434/v1", "SHARED"),
            entry("d", "https://models.example.com/v1", "SHARED"),
        ];
        let names = |name: &str| SecretReference::Environment(name.to_owned());
        assert_eq!(local_keys(&entries), [names("A"), names("B")]);
    }
}
