//! The right of a process of the crash proof: to the whole database, or to workspaces beside other processes.

use std::sync::Arc;

use async_trait::async_trait;
use entracte_adapters_db::Database;
use entracte_application::ports::{
    OwnershipError, StoreError, WorkerHeartbeat, WorkerProcessDescription, WorkerProcessId,
    WorkerProcessRecord, WorkspaceClaim, WorkspaceOwnership,
};
use entracte_application::runtime::{OwnershipLease, RuntimeServices};
use entracte_domain::id::WorkspaceKey;
use entracte_domain::time::{Millis, Timestamp};

use super::clock::PACE;

/// How a process gets its right.
pub(super) struct CrashOwnership {
    /// The rights beside other processes; `None` if it owns the database.
    rights: Option<Arc<dyn WorkspaceOwnership>>,
}

impl CrashOwnership {
    /// The ownership of this database, or a share of it.
    pub(super) fn new(database: &Database, is_shared: bool) -> Self {
        let shared =
            || -> Arc<dyn WorkspaceOwnership> { Arc::new(AcceleratedRights(database.workspace_ownership())) };
        Self { rights: is_shared.then(shared) }
    }

    /// Waits until the right is free: a server notices the death of its last owner a moment later.
    pub(super) async fn acquire(&self, services: &RuntimeServices) -> OwnershipLease {
        loop {
            let process = WorkerProcessDescription::default();
            let acquired = match &self.rights {
                Some(rights) => services.enter_shared_store(rights.clone(), &process).await,
                None => services.acquire_ownership().await,
            };
            match acquired {
                Ok(owner) => return owner,
                Err(OwnershipError::Owned { .. }) => {
                    tokio::time::sleep(std::time::Duration::from_millis(5)).await;
                }
                Err(error) => panic_with(&error),
            }
        }
    }
}

#[expect(clippy::panic, reason = "this is a test, in a program")]
fn panic_with(error: &OwnershipError) -> ! {
    panic!("the database cannot be owned: {error}")
}

/// Rights whose leases are as much shorter as the clock of a process is faster: the server's clock is not accelerated.
struct AcceleratedRights(Arc<dyn WorkspaceOwnership>);

fn real_time(lease: Millis) -> Millis {
    Millis(lease.0 / PACE)
}

#[async_trait]
impl WorkspaceOwnership for AcceleratedRights {
    async fn enter(
        &self,
        process: &WorkerProcessDescription,
        lease: Millis,
        now: Timestamp,
    ) -> Result<WorkerProcessId, OwnershipError> {
        self.0.enter(process, real_time(lease), now).await
    }

    async fn beat(
        &self,
        process: WorkerProcessId,
        lease: Millis,
        now: Timestamp,
    ) -> Result<Option<WorkerHeartbeat>, StoreError> {
        self.0.beat(process, real_time(lease), now).await
    }

    async fn leave(&self, process: WorkerProcessId) -> Result<(), StoreError> {
        self.0.leave(process).await
    }

    async fn acquire(
        &self,
        process: WorkerProcessId,
        workspace: &WorkspaceKey,
    ) -> Result<WorkspaceClaim, StoreError> {
        self.0.acquire(process, workspace).await
    }

    async fn release(
        &self,
        process: WorkerProcessId,
        workspace: &WorkspaceKey,
        epoch: u64,
    ) -> Result<(), StoreError> {
        self.0.release(process, workspace, epoch).await
    }

    async fn available(
        &self,
        process: WorkerProcessId,
        workspaces: Vec<WorkspaceKey>,
    ) -> Result<Vec<WorkspaceKey>, StoreError> {
        self.0.available(process, workspaces).await
    }

    async fn holder(&self, workspace: &WorkspaceKey) -> Result<Option<WorkerProcessRecord>, StoreError> {
        self.0.holder(workspace).await
    }

    async fn processes(&self) -> Result<Vec<WorkerProcessRecord>, StoreError> {
        self.0.processes().await
    }

    async fn count_departures(&self, process: WorkerProcessId, now: Timestamp) -> Result<u64, StoreError> {
        self.0.count_departures(process, now).await
    }
}
