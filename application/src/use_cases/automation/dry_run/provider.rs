//! The provider of a dry run: it encodes requests as the real one would, and answers from the script.

use std::sync::Arc;

use async_trait::async_trait;
use entracte_domain::dollars::Dollars;

use crate::ports::{
    CallCeiling, CallSize, ModelReply, ModelRequest, Provider, ProviderDescription, ProviderFailure,
    ProviderRegistry, ReplySink,
};

/// One provider under every name.
pub(super) struct DryRunProvider {
    /// The configured provider, which encodes requests; `None` if it is unavailable.
    pub(super) real: Option<Arc<dyn Provider>>,
    /// The scripted provider, which answers.
    pub(super) plays: Arc<dyn Provider>,
    pub(super) name: String,
}

impl DryRunProvider {
    fn encoding_provider(&self) -> &Arc<dyn Provider> {
        self.real.as_ref().unwrap_or(&self.plays)
    }
}

#[async_trait]
impl Provider for DryRunProvider {
    fn info(&self) -> ProviderDescription {
        self.encoding_provider().info()
    }

    fn encoding(&self) -> Arc<str> {
        self.encoding_provider().encoding()
    }

    fn body(&self, request: &ModelRequest) -> Result<Vec<u8>, ProviderFailure> {
        self.encoding_provider().body(request)
    }

    /// Nothing is billed.
    fn call_ceiling(&self, _size: &CallSize) -> CallCeiling {
        CallCeiling { tokens: 0, cost: Some(Dollars::ZERO) }
    }

    async fn call(
        &self,
        request: ModelRequest,
        sink: Arc<dyn ReplySink>,
    ) -> Result<ModelReply, ProviderFailure> {
        self.plays.call(request, sink).await
    }

    async fn check(&self) -> Result<String, ProviderFailure> {
        self.plays.check().await
    }
}

/// Returns the dry-run provider for every name.
pub(super) struct DryRunProviderRegistry(pub(super) Arc<DryRunProvider>);

impl ProviderRegistry for DryRunProviderRegistry {
    fn provider(&self, _name: &str) -> Result<Arc<dyn Provider>, ProviderFailure> {
        Ok(self.0.clone())
    }

    fn names(&self) -> Vec<String> {
        vec![self.0.name.clone()]
    }
}
