//! The sandbox of a dry run: a database in a temporary folder, and the rehearsal provider.

use std::any::Any;
use std::sync::Arc;

use async_trait::async_trait;
use entracte_adapters_db::{Database, DatabaseOptions};
use entracte_adapters_providers::rehearsal::RehearsalProvider;
use entracte_application::ports::{
    Clock, DryRunSandbox, DryRunSandboxError, DryRunSandboxFactory, DryRunScript,
};
use tokio::sync::Semaphore;

/// Creates dry-run sandboxes.
pub(crate) struct DryRunDatabases {
    clock: Arc<dyn Clock>,
    at_once: usize,
    room: Arc<Semaphore>,
}

impl DryRunDatabases {
    /// Allows at most `at_once` sandboxes at the same time.
    pub(crate) fn new(clock: Arc<dyn Clock>, at_once: usize) -> Self {
        Self { clock, at_once, room: Arc::new(Semaphore::new(at_once)) }
    }
}

#[async_trait]
impl DryRunSandboxFactory for DryRunDatabases {
    async fn create_sandbox(&self, play: DryRunScript) -> Result<DryRunSandbox, DryRunSandboxError> {
        let place =
            self.room.clone().try_acquire_owned().map_err(|_| DryRunSandboxError::Busy(self.at_once))?;
        let provider = RehearsalProvider::from_play(play, self.clock.clone())
            .map_err(|fault| DryRunSandboxError::Script(fault.to_string()))?;
        // Creating a database blocks.
        let made = tokio::task::spawn_blocking(database).await;
        let (database, folder) = made
            .map_err(|gone| DryRunSandboxError::Unavailable(gone.to_string()))?
            .map_err(DryRunSandboxError::Unavailable)?;
        Ok(DryRunSandbox {
            store: database.store(),
            log: database.log_reader(),
            mail_store: database.mail_store(),
            automations: database.automation_reader(),
            tasks: database.task_reader(),
            ownership: database.ownership(),
            provider: Arc::new(provider),
            keep: Box::new((database, folder, place)) as Box<dyn Any + Send + Sync>,
        })
    }
}

/// Creates a database in a private temporary folder.
fn database() -> Result<(Database, tempfile::TempDir), String> {
    let folder = tempfile::Builder::new().prefix("entracte-dry-").tempdir().map_err(|why| why.to_string())?;
    let path = folder.path().join("entracte.db");
    let database =
        Database::open_at(path.into(), DatabaseOptions::default()).map_err(|why| why.to_string())?;
    Ok((database, folder))
}
