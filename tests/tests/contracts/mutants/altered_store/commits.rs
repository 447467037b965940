//! What the altered store writes: commits, mail and the ownership.

use async_trait::async_trait;
use entracte_application::mail::ReceiptKey;
use entracte_application::ports::{
    AutomationReader as _, CommitError, MailId, MailRow, MailStore, Ownership, OwnershipError, ReceiptRow,
    ResourceChange, ResourceReader as _, SessionRow, StoreError, WaitCondition, WakeSchedule,
    WorkspaceCommit, WorkspaceRow, WorkspaceStore,
};
use entracte_domain::id::{SessionId, WorkspaceKey};
use entracte_domain::time::Timestamp;

use super::AlteredStore;
use super::deviation::StoreDeviation as Deviation;

impl AlteredStore {
    /// Replaces the versions that a commit expects by the stored ones.
    async fn trust(&self, table: &str, commit: &mut WorkspaceCommit) -> Result<(), StoreError> {
        let home = commit.workspace.key.clone();
        match table {
            "sessions" => {
                for (row, expected) in &mut commit.sessions {
                    *expected = self.memory.session(&home, &row.id).await?.map(|stored| stored.sequence);
                }
            }
            "deleted" => {
                for (id, expected) in &mut commit.deleted {
                    let stored = self.memory.session(&home, id).await?;
                    *expected = stored.map_or(*expected, |stored| stored.sequence);
                }
            }
            "automations" => {
                for (row, expected) in &mut commit.automations {
                    *expected = self.memory.automation(&home, &row.id).await?.map(|stored| stored.revision);
                }
            }
            "deleted_automations" => {
                for (id, expected) in &mut commit.deleted_automations {
                    let stored = self.memory.automation(&home, id).await?;
                    *expected = stored.map_or(*expected, |stored| stored.revision);
                }
            }
            _ => {
                for change in &mut commit.resources {
                    let (kind, id, expected) = match change {
                        ResourceChange::Create(_) => continue,
                        ResourceChange::Update { row, expected } => (&row.kind, &row.id, expected),
                        ResourceChange::Delete { kind, id, expected } => (&*kind, &*id, expected),
                    };
                    let stored = self.memory.resource(&home, kind, id).await?;
                    *expected = stored.map_or(*expected, |stored| stored.version);
                }
            }
        }
        Ok(())
    }
}

#[async_trait]
impl WorkspaceStore for AlteredStore {
    async fn commit(&self, mut commit: WorkspaceCommit) -> Result<(), CommitError> {
        self.begin().await;
        match self.deviation {
            Deviation::Writes(change) => change(&mut commit),
            Deviation::TrustsVersions(table) => self.trust(table, &mut commit).await?,
            Deviation::WritesLater(part) => {
                let mut later = WorkspaceCommit {
                    expected_seq: Some(commit.workspace.seq),
                    ..WorkspaceCommit::for_workspace(commit.workspace.clone())
                };
                part(&mut commit, &mut later);
                self.memory.commit(commit).await?;
                tokio::task::yield_now().await;
                return self.memory.commit(later).await;
            }
            _ => {}
        }
        let written = self.memory.commit(commit).await;
        match self.deviation {
            Deviation::Reports(change) => change(written),
            _ => written,
        }
    }

    async fn workspace(&self, key: &WorkspaceKey) -> Result<Option<WorkspaceRow>, StoreError> {
        self.begin().await;
        Ok(self.found("workspace", self.memory.workspace(key).await?))
    }

    async fn workspaces(&self) -> Result<Vec<WorkspaceRow>, StoreError> {
        self.begin().await;
        Ok(self.list("workspaces", self.memory.workspaces().await?))
    }

    async fn session(
        &self,
        workspace: &WorkspaceKey,
        id: &SessionId,
    ) -> Result<Option<SessionRow>, StoreError> {
        self.begin().await;
        let workspace = self.place("session", workspace);
        Ok(self.found("session", self.memory.session(&workspace, id).await?))
    }

    async fn session_id_exists(&self, id: &SessionId) -> Result<bool, StoreError> {
        self.begin().await;
        Ok(self.found("session_id_exists", self.memory.session_id_exists(id).await?))
    }

    async fn receipts(
        &self,
        workspace: &WorkspaceKey,
        keys: &[ReceiptKey],
    ) -> Result<Vec<ReceiptRow>, StoreError> {
        self.begin().await;
        let workspace = self.place("receipts", workspace);
        Ok(self.list("receipts", self.memory.receipts(&workspace, keys).await?))
    }

    async fn sessions_with_slot_demand(
        &self,
        workspace: &WorkspaceKey,
    ) -> Result<Vec<SessionRow>, StoreError> {
        self.begin().await;
        let rows = self.memory.sessions_with_slot_demand(workspace).await?;
        Ok(self.list("sessions_with_slot_demand", rows))
    }

    async fn due(&self, now: Timestamp) -> Result<Vec<(WorkspaceKey, SessionId)>, StoreError> {
        self.begin().await;
        Ok(self.list("due", self.memory.due(self.now("due", now)).await?))
    }

    async fn due_sessions_in(
        &self,
        workspace: &WorkspaceKey,
        now: Timestamp,
    ) -> Result<Vec<SessionId>, StoreError> {
        self.begin().await;
        let (workspace, now) = (self.place("due_sessions_in", workspace), self.now("due_sessions_in", now));
        Ok(self.list("due_sessions_in", self.memory.due_sessions_in(&workspace, now).await?))
    }

    async fn next_wake(&self, workspace: &WorkspaceKey) -> Result<Option<Timestamp>, StoreError> {
        self.begin().await;
        let workspace = self.place("next_wake", workspace);
        Ok(self.found("next_wake", self.memory.next_wake(&workspace).await?))
    }

    async fn wake_schedule(&self, now: Timestamp) -> Result<WakeSchedule, StoreError> {
        self.begin().await;
        let now = self.now("wake_schedule", now);
        Ok(self.found("wake_schedule", WorkspaceStore::wake_schedule(&*self.memory, now).await?))
    }

    async fn waiting(&self, what: WaitCondition) -> Result<Vec<WorkspaceKey>, StoreError> {
        self.begin().await;
        Ok(self.list("waiting", self.memory.waiting(what).await?))
    }
}

#[async_trait]
impl MailStore for AlteredStore {
    async fn post(
        &self,
        workspace: &WorkspaceKey,
        body: Vec<u8>,
        now: Timestamp,
    ) -> Result<MailId, StoreError> {
        self.begin().await;
        self.memory.post(workspace, body, self.now("post", now)).await
    }

    async fn unanswered(&self) -> Result<Vec<MailRow>, StoreError> {
        self.begin().await;
        let rows = self.memory.unanswered().await?;
        Ok(self.ordered("unanswered", rows, |row| row.id.0.to_string(), false))
    }

    async fn answer(&self, workspace: &WorkspaceKey, id: MailId) -> Result<Option<Vec<u8>>, StoreError> {
        self.begin().await;
        let workspace = self.place("answer", workspace);
        Ok(self.found("answer", self.memory.answer(&workspace, id).await?))
    }

    async fn answer_refused(
        &self,
        workspace: &WorkspaceKey,
        id: MailId,
        answer: Vec<u8>,
    ) -> Result<(), StoreError> {
        self.begin().await;
        if self.ignores("answer_refused") {
            return Ok(());
        }
        self.memory.answer_refused(&self.place("answer_refused", workspace), id, answer).await
    }

    async fn withdraw(&self, workspace: &WorkspaceKey, id: MailId) -> Result<(), StoreError> {
        self.begin().await;
        if self.ignores("withdraw") {
            return Ok(());
        }
        self.memory.withdraw(&self.place("withdraw", workspace), id).await
    }

    async fn delete_answered_before(&self, before: Timestamp) -> Result<(), StoreError> {
        self.begin().await;
        if self.ignores("delete_answered_before") {
            return Ok(());
        }
        self.memory.delete_answered_before(before).await
    }
}

#[async_trait]
impl Ownership for AlteredStore {
    async fn acquire(&self, now: Timestamp) -> Result<u64, OwnershipError> {
        self.begin().await;
        self.memory.acquire(now).await
    }

    async fn renew(&self, epoch: u64) -> Result<(), OwnershipError> {
        self.begin().await;
        if self.ignores("renew") {
            return Ok(());
        }
        self.memory.renew(epoch).await
    }

    fn release(&self, epoch: u64) {
        if !self.ignores("release") {
            self.memory.release(epoch);
        }
    }
}
