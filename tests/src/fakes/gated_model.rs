//! A model that answers only as often as a test permits.

#![expect(clippy::unwrap_used, reason = "these are tests, in a library")]

use std::sync::Arc;

use async_trait::async_trait;
use entracte_application::ports::{
    ModelCallLimits, ModelReply, ModelRequest, Provider, ProviderDescription, ProviderFailure, ReplySink,
};
use tokio::sync::Semaphore;

use crate::runtime_fixture::FakeModel;

/// A model that waits for a permit before each answer.
pub struct GatedFakeModel {
    /// The model behind the gate.
    pub model: FakeModel,
    lets: Semaphore,
}

impl Default for GatedFakeModel {
    fn default() -> Self {
        Self { model: FakeModel::default(), lets: Semaphore::new(0) }
    }
}

impl GatedFakeModel {
    /// Permits this many more answers.
    pub fn let_answer(&self, times: usize) {
        self.lets.add_permits(times);
    }

    /// Number of received requests.
    pub fn asked(&self) -> usize {
        self.model.requests.lock().unwrap().len()
    }

    /// Whether a received request contains this text.
    pub fn heard(&self, text: &str) -> bool {
        self.model.requests.lock().unwrap().iter().any(|asked| format!("{asked:?}").contains(text))
    }
}

#[async_trait]
impl Provider for GatedFakeModel {
    fn info(&self) -> ProviderDescription {
        self.model.info()
    }

    fn encoding(&self) -> Arc<str> {
        self.model.encoding()
    }

    fn limits(&self, model: &str) -> ModelCallLimits {
        self.model.limits(model)
    }

    fn body(&self, request: &ModelRequest) -> Result<Vec<u8>, ProviderFailure> {
        self.model.body(request)
    }

    async fn call(
        &self,
        request: ModelRequest,
        sink: Arc<dyn ReplySink>,
    ) -> Result<ModelReply, ProviderFailure> {
        let reply = self.model.call(request, sink).await;
        self.lets.acquire().await.unwrap().forget();
        reply
    }

    async fn check(&self) -> Result<String, ProviderFailure> {
        self.model.check().await
    }
}
