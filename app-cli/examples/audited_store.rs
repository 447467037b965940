//! The command line with a store of one's own: before a commit is written, a line about it goes to `audit.log` in the data
//! folder. The tests of the command line run a second time with it (`program_with_custom_store_passes_cli_tests`).

use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use async_trait::async_trait;
use entracte::{Program, ProgramStores};
use entracte_application::mail::ReceiptKey;
use entracte_application::ports::{
    CommitError, ReceiptRow, ReclaimExtent, ReclaimedSpace, SessionRow, StoreError, WaitCondition,
    WakeSchedule, WorkspaceCommit, WorkspaceRow, WorkspaceStore,
};
use entracte_domain::id::{SessionId, WorkspaceKey};
use entracte_domain::time::Timestamp;

fn main() -> ExitCode {
    Program::builder().stores(audited).build().command_line(std::env::args_os())
}

/// The stores with an audit of all commits.
fn audited(mut stores: ProgramStores) -> ProgramStores {
    let folder = std::env::var_os("ENTRACTE_DATA").map_or_else(PathBuf::new, PathBuf::from);
    stores.store = Arc::new(AuditedStore { file: folder.join("audit.log"), inner: stores.store });
    stores
}

/// Writes a line about each commit before the store gets it.
struct AuditedStore {
    file: PathBuf,
    inner: Arc<dyn WorkspaceStore>,
}

impl AuditedStore {
    fn write_line(&self, commit: &WorkspaceCommit) -> std::io::Result<()> {
        let mut file = OpenOptions::new().create(true).append(true).open(&self.file)?;
        let WorkspaceRow { key, seq, .. } = &commit.workspace;
        file.write_all(format!("{key} {seq}: {} entries\n", commit.log.len()).as_bytes())
    }
}

#[async_trait]
impl WorkspaceStore for AuditedStore {
    async fn commit(&self, commit: WorkspaceCommit) -> Result<(), CommitError> {
        // The line comes first: no commit may lack its line in the audit.
        self.write_line(&commit)
            .map_err(|_| StoreError::Unavailable("the audit cannot be written".into()))?;
        self.inner.commit(commit).await
    }

    async fn workspace(&self, key: &WorkspaceKey) -> Result<Option<WorkspaceRow>, StoreError> {
        self.inner.workspace(key).await
    }

    async fn workspaces(&self) -> Result<Vec<WorkspaceRow>, StoreError> {
        self.inner.workspaces().await
    }

    async fn session(
        &self,
        workspace: &WorkspaceKey,
        id: &SessionId,
    ) -> Result<Option<SessionRow>, StoreError> {
        self.inner.session(workspace, id).await
    }

    async fn session_id_exists(&self, id: &SessionId) -> Result<bool, StoreError> {
        self.inner.session_id_exists(id).await
    }

    async fn receipts(
        &self,
        workspace: &WorkspaceKey,
        keys: &[ReceiptKey],
    ) -> Result<Vec<ReceiptRow>, StoreError> {
        self.inner.receipts(workspace, keys).await
    }

    async fn sessions_with_slot_demand(
        &self,
        workspace: &WorkspaceKey,
    ) -> Result<Vec<SessionRow>, StoreError> {
        self.inner.sessions_with_slot_demand(workspace).await
    }

    async fn due(&self, now: Timestamp) -> Result<Vec<(WorkspaceKey, SessionId)>, StoreError> {
        self.inner.due(now).await
    }

    async fn due_sessions_in(
        &self,
        workspace: &WorkspaceKey,
        now: Timestamp,
    ) -> Result<Vec<SessionId>, StoreError> {
        self.inner.due_sessions_in(workspace, now).await
    }

    async fn next_wake(&self, workspace: &WorkspaceKey) -> Result<Option<Timestamp>, StoreError> {
        self.inner.next_wake(workspace).await
    }

    async fn wake_schedule(&self, now: Timestamp) -> Result<WakeSchedule, StoreError> {
        self.inner.wake_schedule(now).await
    }

    async fn waiting(&self, what: WaitCondition) -> Result<Vec<WorkspaceKey>, StoreError> {
        self.inner.waiting(what).await
    }

    async fn check_writable(&self) -> Result<(), StoreError> {
        self.inner.check_writable().await
    }

    async fn reclaim_space(&self, extent: ReclaimExtent) -> Result<ReclaimedSpace, StoreError> {
        self.inner.reclaim_space(extent).await
    }

    fn is_stalled(&self) -> bool {
        self.inner.is_stalled()
    }
}
