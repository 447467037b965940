//! The store of an owner whose right can be lost.

use std::sync::Arc;

use async_trait::async_trait;
use entracte_application::ports::{
    Agenda, Commit, CommitError, SessionRow, Store, StoreError, WaitsFor, WorkspaceRow,
};
use entracte_domain::id::{SessionId, WorkspaceKey};
use entracte_domain::time::Timestamp;

use super::advisory::Probe;

/// Commits only while the right is held; reads always.
pub(super) struct OwnersStore {
    pub(super) store: Arc<dyn Store>,
    pub(super) probe: Probe,
}

#[async_trait]
impl Store for OwnersStore {
    async fn commit(&self, commit: Commit) -> Result<(), CommitError> {
        if !self.probe.is_held() {
            let text = "the right to handle its events was lost; it is taken again when nobody else has it";
            return Err(CommitError::Store(StoreError::Unavailable(text.into())));
        }
        self.store.commit(commit).await
    }

    async fn workspace(&self, key: &WorkspaceKey) -> Result<Option<WorkspaceRow>, StoreError> {
        self.store.workspace(key).await
    }

    async fn workspaces(&self) -> Result<Vec<WorkspaceRow>, StoreError> {
        self.store.workspaces().await
    }

    async fn session(&self, id: &SessionId) -> Result<Option<SessionRow>, StoreError> {
        self.store.session(id).await
    }

    async fn placed(&self, workspace: &WorkspaceKey) -> Result<Vec<SessionRow>, StoreError> {
        self.store.placed(workspace).await
    }

    async fn due(&self, now: Timestamp) -> Result<Vec<(WorkspaceKey, SessionId)>, StoreError> {
        self.store.due(now).await
    }

    async fn due_in(&self, workspace: &WorkspaceKey, now: Timestamp) -> Result<Vec<SessionId>, StoreError> {
        self.store.due_in(workspace, now).await
    }

    async fn next_wake(&self, workspace: &WorkspaceKey) -> Result<Option<Timestamp>, StoreError> {
        self.store.next_wake(workspace).await
    }

    async fn agenda(&self, now: Timestamp) -> Result<Agenda, StoreError> {
        self.store.agenda(now).await
    }

    async fn waiting(&self, what: WaitsFor) -> Result<Vec<WorkspaceKey>, StoreError> {
        self.store.waiting(what).await
    }
}
