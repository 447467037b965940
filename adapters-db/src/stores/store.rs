//! [`WorkspaceStore`] on a database.

use async_trait::async_trait;
use entracte_application::failpoints::FailpointOperation;
use entracte_application::mail::ReceiptKey;
use entracte_application::ports::{
    CommitError, ReceiptRow, ReclaimExtent, ReclaimedSpace, SessionRow, StoreError, WaitCondition,
    WakeSchedule, WorkspaceCommit, WorkspaceRow, WorkspaceStore,
};
use entracte_domain::id::{SessionId, WorkspaceKey};
use entracte_domain::time::Timestamp;

use crate::connection::DbConnection;
use crate::database::Database;
use crate::db_error::DbError;
use crate::queries::{hashes, owner, receipts, sessions, workspaces};
use crate::writer::WriteJob;

/// The write path, and the loading of the data for `handle`.
pub(crate) struct DbStore(pub(crate) Database);

impl DbStore {
    /// Encodes a commit for the database: stored hashes are replaced by their numbers. Hashes that are not stored yet
    /// are written by this commit.
    async fn encode_hashes(&self, mut commit: WorkspaceCommit) -> Result<WorkspaceCommit, StoreError> {
        let known = self.0.hashes();
        let unknown = known.missing_hashes(&commit);
        if !unknown.is_empty() {
            known.insert_numbers(&self.0.read(move |conn| hashes::numbers(conn, &unknown)).await?);
        }
        known.encode_commit(&mut commit);
        Ok(commit)
    }
}

#[async_trait]
impl WorkspaceStore for DbStore {
    async fn commit(&self, commit: WorkspaceCommit) -> Result<(), CommitError> {
        self.0.check_commit_allowed(commit.workspace.epoch)?;
        let commit = self.encode_hashes(commit).await?;
        Ok(self.0.write(commit).await?)
    }

    async fn workspace(&self, key: &WorkspaceKey) -> Result<Option<WorkspaceRow>, StoreError> {
        let key = key.clone();
        self.0.read(move |conn| workspaces::find(conn, &key)).await
    }

    async fn workspaces(&self) -> Result<Vec<WorkspaceRow>, StoreError> {
        self.0.read(workspaces::all).await
    }

    async fn session(
        &self,
        workspace: &WorkspaceKey,
        id: &SessionId,
    ) -> Result<Option<SessionRow>, StoreError> {
        let (workspace, id) = (workspace.clone(), id.clone());
        self.0.read(move |conn| sessions::find(conn, &workspace, &id)).await
    }

    async fn session_id_exists(&self, id: &SessionId) -> Result<bool, StoreError> {
        let id = id.clone();
        self.0.read(move |conn| sessions::is_taken(conn, &id)).await
    }

    async fn receipts(
        &self,
        workspace: &WorkspaceKey,
        keys: &[ReceiptKey],
    ) -> Result<Vec<ReceiptRow>, StoreError> {
        let (workspace, keys) = (workspace.clone(), keys.to_vec());
        let read = move |conn: &mut DbConnection| {
            let found = keys.iter().map(|key| receipts::find(conn, &workspace, key));
            Ok(found.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect())
        };
        self.0.read(read).await
    }

    async fn sessions_with_slot_demand(
        &self,
        workspace: &WorkspaceKey,
    ) -> Result<Vec<SessionRow>, StoreError> {
        let workspace = workspace.clone();
        self.0.read(move |conn| sessions::placed(conn, &workspace)).await
    }

    async fn due(&self, now: Timestamp) -> Result<Vec<(WorkspaceKey, SessionId)>, StoreError> {
        self.0.read(move |conn| sessions::due(conn, now)).await
    }

    async fn due_sessions_in(
        &self,
        workspace: &WorkspaceKey,
        now: Timestamp,
    ) -> Result<Vec<SessionId>, StoreError> {
        let workspace = workspace.clone();
        self.0.read(move |conn| sessions::due_in(conn, &workspace, now)).await
    }

    async fn next_wake(&self, workspace: &WorkspaceKey) -> Result<Option<Timestamp>, StoreError> {
        let workspace = workspace.clone();
        self.0.read(move |conn| sessions::next_wake(conn, &workspace)).await
    }

    async fn wake_schedule(&self, now: Timestamp) -> Result<WakeSchedule, StoreError> {
        self.0.read(move |conn| sessions::agenda(conn, now)).await
    }

    async fn waiting(&self, what: WaitCondition) -> Result<Vec<WorkspaceKey>, StoreError> {
        self.0.read(move |conn| sessions::waiting(conn, what)).await
    }

    async fn check_writable(&self) -> Result<(), StoreError> {
        Ok(self.0.write(WriteProbeJob).await?)
    }

    async fn reclaim_space(&self, extent: ReclaimExtent) -> Result<ReclaimedSpace, StoreError> {
        let database = self.0.clone();
        let reclaimed = tokio::task::spawn_blocking(move || database.reclaim_space(extent)).await;
        reclaimed.unwrap_or_else(|error| {
            Err(StoreError::Unavailable(format!("giving space back stopped: {error}").into()))
        })
    }

    fn is_stalled(&self) -> bool {
        self.0.is_stalled()
    }
}

/// A write job that changes nothing, to test whether the database is writable.
struct WriteProbeJob;

impl WriteJob for WriteProbeJob {
    type Answer = ();

    const OPERATION: FailpointOperation = FailpointOperation::Own;

    fn run(&self, conn: &mut DbConnection) -> Result<(), DbError> {
        owner::touch(conn)
    }

    fn is_committed(&self, _conn: &mut DbConnection, (): &()) -> Result<bool, DbError> {
        Ok(true)
    }
}
