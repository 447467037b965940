use std::collections::BTreeMap;
use std::sync::Arc;

use entracte_domain::session::failure::FailureClass;

use crate::ports::{Provider, ProviderFailure, ProviderRegistry};
use crate::texts::saying;

/// A fixed set of providers, each under the name that its [`info`](Provider::info) returns.
///
/// For programs that construct their providers themselves; a registry that builds them from a configuration is an
/// adapter.
#[derive(Default)]
pub struct StaticProviderRegistry {
    by_name: BTreeMap<String, Arc<dyn Provider>>,
}

impl StaticProviderRegistry {
    /// Registers these providers; of two with the same name the later one counts.
    pub fn new(providers: impl IntoIterator<Item = Arc<dyn Provider>>) -> Self {
        let named = providers.into_iter().map(|provider| (provider.info().name, provider));
        Self { by_name: named.collect() }
    }
}

impl ProviderRegistry for StaticProviderRegistry {
    fn provider(&self, name: &str) -> Result<Arc<dyn Provider>, ProviderFailure> {
        self.by_name.get(name).cloned().ok_or_else(|| ProviderFailure {
            class: FailureClass::Misconfigured,
            // In English: a registry knows no workspace.
            message: saying!("provider-unregistered", provider = name, known = self.names().join(", "))
                .to_string(),
            retry_after: None,
            usage: None,
        })
    }

    fn names(&self) -> Vec<String> {
        self.by_name.keys().cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ports::{MockProvider, ProviderDescription};

    fn provider(name: &str) -> Arc<dyn Provider> {
        let mut provider = MockProvider::new();
        provider.expect_info().return_const(ProviderDescription {
            name: name.into(),
            kind: "mock".into(),
            display_name: name.into(),
            default_model: "m".into(),
            base_url: None,
            context_tokens: None,
            max_output_tokens: None,
        });
        Arc::new(provider)
    }

    #[test]
    fn provider_is_found_by_name_or_named_missing() {
        let providers = StaticProviderRegistry::new([provider("second"), provider("first")]);
        assert_eq!(providers.names(), ["first", "second"]);
        assert_eq!(providers.provider("second").unwrap().info().name, "second");
        let failure = providers.provider("third").err().unwrap();
        assert_eq!(failure.class, FailureClass::Misconfigured);
        assert_eq!(failure.message, "there is no provider “third”; the providers are: first, second");
    }
}
