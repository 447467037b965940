//! Dry run sandboxes in memory.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use async_trait::async_trait;
use entracte_adapters_providers::rehearsal::RehearsalProvider;
use entracte_application::ports::{
    Clock, DryRunSandbox, DryRunSandboxError, DryRunSandboxFactory, DryRunScript,
};

use super::memory_store::MemoryStore;

/// Creates sandboxes for dry runs, and counts them.
pub struct MemoryDryRunFactory {
    clock: Arc<dyn Clock>,
    /// Number of created sandboxes.
    pub made: AtomicU32,
}

impl MemoryDryRunFactory {
    /// Creates a factory with this clock.
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        Self { clock, made: AtomicU32::new(0) }
    }
}

#[async_trait]
impl DryRunSandboxFactory for MemoryDryRunFactory {
    async fn create_sandbox(&self, play: DryRunScript) -> Result<DryRunSandbox, DryRunSandboxError> {
        let provider = RehearsalProvider::from_play(play, self.clock.clone())
            .map_err(|fault| DryRunSandboxError::Script(fault.to_string()))?;
        self.made.fetch_add(1, Ordering::SeqCst);
        let store = Arc::new(MemoryStore::new());
        Ok(DryRunSandbox {
            store: store.clone(),
            log: store.clone(),
            mail_store: store.clone(),
            automations: store.clone(),
            tasks: store.clone(),
            ownership: store,
            provider: Arc::new(provider),
            keep: Box::new(()),
        })
    }
}
