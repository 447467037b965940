//! Entracte's wires fulfil the contract of a provider that calls a server, one suite for each dialect.

#![expect(clippy::unwrap_used, reason = "a test that cannot make its provider has failed")]

mod chat;
mod claude;
mod openai;

use std::collections::BTreeMap;
use std::sync::Arc;

use entracte_adapters_providers::config::ProviderConfig;
use entracte_adapters_providers::registry::ConfigProviderRegistry;
use entracte_application::ports::{MockClock, MockSecretStore, Provider, ProviderRegistry as _};
use entracte_domain::time::Timestamp;
use entracte_tests::cryptography::crypto;
use serde_json::Value;

/// The provider of a configuration entry, whose key comes from a mock.
fn provider(entry: &str, address: &str, key: &str) -> Arc<dyn Provider> {
    let entry = format!("{entry}\nmodel = \"model-of-the-entry\"\nbase_url = \"{address}\"");
    let entry = ProviderConfig::from_toml("x", &entry).unwrap();
    let mut secrets = MockSecretStore::new();
    let key = key.to_owned();
    secrets.expect_secret().returning(move |_| Ok(key.as_str().into()));
    let mut clock = MockClock::new();
    clock.expect_now().return_const(Timestamp(0));
    let entries = BTreeMap::from([("x".to_owned(), entry)]);
    ConfigProviderRegistry::new(entries, Arc::new(secrets), Arc::new(clock), crypto()).provider("x").unwrap()
}

/// An event with or without a name.
fn event(name: &str, data: &Value) -> Vec<u8> {
    format!("event: {name}\ndata: {data}\n\n").into_bytes()
}

fn data(data: &Value) -> Vec<u8> {
    format!("data: {data}\n\n").into_bytes()
}

mod suite_of_claude {
    use super::claude::open;

    entracte_tests::wire_contracts!(open);
}

mod suite_of_openai {
    use super::openai::open;

    entracte_tests::wire_contracts!(open);
}

mod suite_of_chat_completions {
    use super::chat::open;

    entracte_tests::wire_contracts!(open);
}
