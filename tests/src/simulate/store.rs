//! A store whose commits may fail: nothing was written, or everything was and nobody was told.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use async_trait::async_trait;
use entracte_application::ports::{Commit, CommitError, SessionRow, Store, StoreError, WorkspaceRow};
use entracte_domain::id::{SessionId, WorkspaceKey};
use entracte_domain::time::Timestamp;

use crate::fakes::memory_store::MemoryStore;

/// How the next commit fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Failure {
    NothingWritten = 1,
    WrittenAndNotTold = 2,
}

/// The store.
pub(super) struct UncertainStore {
    inner: Arc<MemoryStore>,
    next: AtomicU8,
}

impl UncertainStore {
    pub(super) fn new(inner: Arc<MemoryStore>) -> Self {
        Self { inner, next: AtomicU8::new(0) }
    }

    pub(super) fn will(&self, failure: Option<Failure>) {
        self.next.store(failure.map_or(0, |failure| failure as u8), Ordering::SeqCst);
    }
}

#[async_trait]
impl Store for UncertainStore {
    async fn commit(&self, commit: Commit) -> Result<(), CommitError> {
        let next = self.next.swap(0, Ordering::SeqCst);
        if next == Failure::NothingWritten as u8 {
            return Err(StoreError::Unavailable("the disk is away".into()).into());
        }
        self.inner.commit(commit).await?;
        if next == Failure::WrittenAndNotTold as u8 {
            return Err(StoreError::Unavailable("the answer was lost".into()).into());
        }
        Ok(())
    }

    async fn workspace(&self, key: &WorkspaceKey) -> Result<Option<WorkspaceRow>, StoreError> {
        self.inner.workspace(key).await
    }

    async fn workspaces(&self) -> Result<Vec<WorkspaceRow>, StoreError> {
        self.inner.workspaces().await
    }

    async fn session(&self, id: &SessionId) -> Result<Option<SessionRow>, StoreError> {
        self.inner.session(id).await
    }

    async fn placed(&self, workspace: &WorkspaceKey) -> Result<Vec<SessionRow>, StoreError> {
        self.inner.placed(workspace).await
    }

    async fn due(&self, now: Timestamp) -> Result<Vec<(WorkspaceKey, SessionId)>, StoreError> {
        self.inner.due(now).await
    }

    async fn next_wake(&self, workspace: &WorkspaceKey) -> Result<Option<Timestamp>, StoreError> {
        self.inner.next_wake(workspace).await
    }
}
