//! All store ports in memory, behind one mutex: the store of tests that are not about the database, and the simplest
//! implementation of the ports' contracts. It passes the same suites as the databases.
//!
//! ```
//! use std::sync::Arc;
//!
//! use entracte_application::runtime::StorePorts;
//! use entracte_tests::fakes::memory_store::MemoryStore;
//!
//! let ports = StorePorts::from(Arc::new(MemoryStore::new()));
//! ```
//!
//! A commit works on a copy of all rows and replaces them if no step fails, so it is atomic. Not for long use: only
//! mail is ever removed.

mod rows;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use entracte_application::instructions::{InstructionScope, InstructionVersion};
use entracte_application::mail::ReceiptKey;
use entracte_application::ports::{
    AutomationReader, AutomationRow, CallRow, CommitError, CostFilter, CostPage, DeletionRow, FileBytes,
    FileRow, FileStore, InProcessOwnership, LogReader, LogRow, MailId, MailRow, MailStore, OccurrenceRow,
    Ownership, OwnershipError, ReceiptRow, ResourceChangeRow, ResourceFilter, ResourceReader, ResourceRow,
    RestingSessionFilter, SessionFile, SessionFilter, SessionRow, SessionRows, StoreError, TaskArrivalRow,
    TaskFilter, TaskReader, TaskRow, TriageRows, WaitCondition, WakeSchedule, WorkerHeartbeat,
    WorkerProcessDescription, WorkerProcessId, WorkerProcessRecord, WorkspaceClaim, WorkspaceCommit,
    WorkspaceOwnership, WorkspaceRow, WorkspaceStore,
};
use entracte_domain::id::{AutomationId, CallId, Digest, SessionId, TaskId, WorkspaceKey};
use entracte_domain::time::{Millis, Timestamp};

use rows::MemoryStoreTables;

/// Every store port in memory.
#[derive(Debug, Default)]
pub struct MemoryStore {
    rows: Mutex<MemoryStoreTables>,
    owner: InProcessOwnership,
}

impl MemoryStore {
    /// An empty store.
    pub fn new() -> Self {
        Self::default()
    }

    fn rows(&self) -> MutexGuard<'_, MemoryStoreTables> {
        self.rows.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Refuses an owner while worker processes have the store; the next owner continues after their epochs.
    fn refuse_beside_processes(&self, now: Timestamp) -> Result<(), OwnershipError> {
        let mut rows = self.rows();
        rows.workers.count_departures(None, now);
        if let Some(process) = rows.workers.processes().first() {
            let holder = format!("worker process {}", process.id.0);
            return Err(OwnershipError::Owned { store: "the store in memory".to_owned(), holder });
        }
        self.owner.skip_epochs(rows.workspaces.values().map(|row| row.epoch).max().unwrap_or_default());
        Ok(())
    }
}

#[async_trait]
impl WorkspaceStore for MemoryStore {
    async fn commit(&self, commit: WorkspaceCommit) -> Result<(), CommitError> {
        let mut rows = self.rows();
        let mut copy = rows.clone();
        copy.apply(commit)?;
        *rows = copy;
        Ok(())
    }

    async fn workspace(&self, key: &WorkspaceKey) -> Result<Option<WorkspaceRow>, StoreError> {
        Ok(self.rows().workspaces.get(key).cloned())
    }

    async fn workspaces(&self) -> Result<Vec<WorkspaceRow>, StoreError> {
        Ok(self.rows().workspaces.values().cloned().collect())
    }

    async fn session(
        &self,
        workspace: &WorkspaceKey,
        id: &SessionId,
    ) -> Result<Option<SessionRow>, StoreError> {
        Ok(self.rows().session(workspace, id).cloned())
    }

    async fn session_id_exists(&self, id: &SessionId) -> Result<bool, StoreError> {
        Ok(self.rows().sessions.iter().any(|row| row.id == *id))
    }

    async fn receipts(
        &self,
        workspace: &WorkspaceKey,
        keys: &[ReceiptKey],
    ) -> Result<Vec<ReceiptRow>, StoreError> {
        Ok(self.rows().receipts.find_receipts(workspace, keys))
    }

    async fn sessions_with_slot_demand(
        &self,
        workspace: &WorkspaceKey,
    ) -> Result<Vec<SessionRow>, StoreError> {
        let rows = self.rows();
        Ok(rows.sessions.iter().filter(|row| row.placed && row.workspace == *workspace).cloned().collect())
    }

    async fn due(&self, now: Timestamp) -> Result<Vec<(WorkspaceKey, SessionId)>, StoreError> {
        let rows = self.rows();
        let due = rows.sessions.iter().filter(|row| row.is_due(now));
        Ok(due.map(|row| (row.workspace.clone(), row.id.clone())).collect())
    }

    async fn due_sessions_in(
        &self,
        workspace: &WorkspaceKey,
        now: Timestamp,
    ) -> Result<Vec<SessionId>, StoreError> {
        let rows = self.rows();
        let due = rows.sessions.iter().filter(|row| row.workspace == *workspace && row.is_due(now));
        Ok(due.map(|row| row.id.clone()).collect())
    }

    async fn next_wake(&self, workspace: &WorkspaceKey) -> Result<Option<Timestamp>, StoreError> {
        let rows = self.rows();
        Ok(rows.sessions.iter().filter(|row| row.workspace == *workspace).filter_map(|row| row.wake_at).min())
    }

    async fn wake_schedule(&self, now: Timestamp) -> Result<WakeSchedule, StoreError> {
        let rows = self.rows();
        Ok(WakeSchedule::from_instants(
            rows.sessions.iter().filter_map(|row| Some((&row.workspace, row.wake_at?))),
            now,
        ))
    }

    async fn waiting(&self, what: WaitCondition) -> Result<Vec<WorkspaceKey>, StoreError> {
        let rows = self.rows();
        let waiting = rows.sessions.iter().filter(|row| row.waits_for(what));
        let keys: BTreeSet<&WorkspaceKey> = waiting.map(|row| &row.workspace).collect();
        Ok(keys.into_iter().cloned().collect())
    }
}

#[async_trait]
impl LogReader for MemoryStore {
    async fn entries(
        &self,
        workspace: &WorkspaceKey,
        session: &SessionId,
        after: u64,
        limit: u32,
    ) -> Result<Vec<LogRow>, StoreError> {
        let rows = self.rows();
        let here = rows.log.iter().filter(|(key, _)| key == workspace).map(|(_, row)| row);
        let found = here.filter(|row| row.session == *session && row.seq > after);
        Ok(found.take(limit as usize).cloned().collect())
    }

    async fn entry(&self, workspace: &WorkspaceKey, seq: u64) -> Result<Option<LogRow>, StoreError> {
        let rows = self.rows();
        Ok(rows.log.iter().find(|(key, row)| key == workspace && row.seq == seq).map(|(_, row)| row.clone()))
    }

    async fn changes(
        &self,
        workspace: &WorkspaceKey,
        after: u64,
        limit: u32,
    ) -> Result<Vec<ResourceChangeRow>, StoreError> {
        let rows = self.rows();
        let here = rows.changes.iter().filter(|(key, row)| key == workspace && row.seq > after);
        Ok(here.map(|(_, row)| row.clone()).take(limit as usize).collect())
    }

    async fn deletions(&self, workspace: &WorkspaceKey, limit: u32) -> Result<Vec<DeletionRow>, StoreError> {
        let rows = self.rows();
        let here = rows.deletions.iter().rev().filter(|(key, _)| key == workspace).map(|(_, row)| row);
        Ok(here.take(limit as usize).cloned().collect())
    }

    async fn inbox_triage(&self, workspace: &WorkspaceKey) -> Result<TriageRows, StoreError> {
        Ok(self.rows().triage.rows(workspace))
    }

    async fn instructions(
        &self,
        workspace: &WorkspaceKey,
        scopes: &[InstructionScope],
    ) -> Result<Vec<InstructionVersion>, StoreError> {
        Ok(self.rows().instructions.latest(workspace, scopes))
    }

    async fn versions_of_instructions(
        &self,
        workspace: &WorkspaceKey,
        scope: &InstructionScope,
        before: Option<u64>,
        limit: u32,
    ) -> Result<Vec<InstructionVersion>, StoreError> {
        Ok(self.rows().instructions.versions(workspace, scope, before, limit))
    }

    async fn calls(&self, workspace: &WorkspaceKey, session: &SessionId) -> Result<Vec<CallRow>, StoreError> {
        let rows = self.rows();
        let here = rows.calls.iter().filter(|(key, _)| key == workspace).map(|(_, row)| row);
        let mut found: Vec<CallRow> = here.filter(|row| row.session == *session).cloned().collect();
        found.sort_by_key(|row| (row.sequence, row.ordinal));
        Ok(found)
    }

    async fn call(&self, workspace: &WorkspaceKey, id: &CallId) -> Result<Option<CallRow>, StoreError> {
        let rows = self.rows();
        let found = rows.calls.iter().find(|(key, row)| key == workspace && row.id == *id);
        Ok(found.map(|(_, row)| row.clone()))
    }

    async fn sessions(&self, filter: &SessionFilter) -> Result<SessionRows, StoreError> {
        Ok(filter.select_matching(&self.rows().sessions).into())
    }

    async fn resting_sessions(&self, filter: &RestingSessionFilter) -> Result<Vec<SessionRow>, StoreError> {
        let rows = self.rows();
        Ok(filter.select(rows.sessions.iter().cloned(), |id, kind| rows.retention.removed(id, kind)))
    }

    async fn cost_sums(&self, filter: &CostFilter) -> Result<CostPage, StoreError> {
        let rows = self.rows();
        rows.costs.sums(filter, |id| rows.session(&filter.workspace, id))
    }

    async fn blob(
        &self,
        workspace: &WorkspaceKey,
        session: &SessionId,
        digest: &Digest,
    ) -> Result<Option<Vec<u8>>, StoreError> {
        let rows = self.rows();
        Ok(rows.session(workspace, session).and_then(|_| rows.blobs.get(digest).cloned()))
    }
}

#[async_trait]
impl ResourceReader for MemoryStore {
    async fn resources(
        &self,
        workspace: &WorkspaceKey,
        filter: &ResourceFilter,
    ) -> Result<Vec<ResourceRow>, StoreError> {
        Ok(self.rows().picked(workspace, filter))
    }
}

#[async_trait]
impl AutomationReader for MemoryStore {
    async fn automations(&self, workspace: &WorkspaceKey) -> Result<Vec<AutomationRow>, StoreError> {
        Ok(self.rows().automations.automations_in(workspace))
    }

    async fn automation(
        &self,
        workspace: &WorkspaceKey,
        id: &AutomationId,
    ) -> Result<Option<AutomationRow>, StoreError> {
        Ok(self.rows().automations.find(workspace, id))
    }

    async fn occurrences(
        &self,
        workspace: &WorkspaceKey,
        automation: &AutomationId,
        before: Option<Timestamp>,
        limit: u32,
    ) -> Result<Vec<OccurrenceRow>, StoreError> {
        Ok(self.rows().automations.occurrences(workspace, automation, before, limit))
    }

    async fn wake_schedule(&self, now: Timestamp) -> Result<WakeSchedule, StoreError> {
        Ok(self.rows().automations.next_wake(now))
    }
}

#[async_trait]
impl TaskReader for MemoryStore {
    async fn task(&self, workspace: &WorkspaceKey, id: &TaskId) -> Result<Option<TaskRow>, StoreError> {
        Ok(self.rows().tasks.task(workspace, id))
    }

    async fn task_in_any_workspace(&self, id: &TaskId) -> Result<Option<TaskRow>, StoreError> {
        Ok(self.rows().tasks.locate(id))
    }

    async fn tasks(&self, workspace: &WorkspaceKey, filter: TaskFilter) -> Result<Vec<TaskRow>, StoreError> {
        Ok(self.rows().tasks.tasks(workspace, &filter))
    }

    async fn due_tasks(&self, workspace: &WorkspaceKey, now: Timestamp) -> Result<Vec<TaskRow>, StoreError> {
        Ok(self.rows().tasks.due(workspace, now))
    }

    async fn next_task(&self, workspace: &WorkspaceKey) -> Result<Option<Timestamp>, StoreError> {
        Ok(self.rows().tasks.next(workspace))
    }

    async fn task_wake_schedule(&self, now: Timestamp) -> Result<WakeSchedule, StoreError> {
        Ok(self.rows().tasks.agenda(now))
    }

    async fn arrival(
        &self,
        workspace: &WorkspaceKey,
        task: &TaskId,
        webhook_id: &str,
    ) -> Result<Option<TaskArrivalRow>, StoreError> {
        Ok(self.rows().tasks.arrival(workspace, task, webhook_id))
    }

    async fn arrivals(
        &self,
        workspace: &WorkspaceKey,
        task: &TaskId,
    ) -> Result<Vec<TaskArrivalRow>, StoreError> {
        Ok(self.rows().tasks.arrivals(workspace, task))
    }
}

#[async_trait]
impl FileStore for MemoryStore {
    async fn put_file(
        &self,
        workspace: &WorkspaceKey,
        row: FileRow,
        bytes: FileBytes,
    ) -> Result<(), StoreError> {
        self.rows().files.put(workspace, row, bytes);
        Ok(())
    }

    async fn file(&self, workspace: &WorkspaceKey, digest: &Digest) -> Result<Option<FileRow>, StoreError> {
        Ok(self.rows().files.row(workspace, digest))
    }

    async fn file_bytes(
        &self,
        workspace: &WorkspaceKey,
        digest: &Digest,
    ) -> Result<Option<Vec<u8>>, StoreError> {
        Ok(self.rows().files.bytes(workspace, digest))
    }

    async fn session_files(
        &self,
        workspace: &WorkspaceKey,
        session: &SessionId,
    ) -> Result<BTreeMap<Digest, SessionFile>, StoreError> {
        Ok(self.rows().files.session_files(workspace, session))
    }

    async fn unnamed_file_bytes(&self, workspace: &WorkspaceKey) -> Result<u64, StoreError> {
        Ok(self.rows().files.unnamed_bytes(workspace))
    }

    async fn delete_unnamed_files(
        &self,
        workspace: &WorkspaceKey,
        before: Timestamp,
    ) -> Result<u64, StoreError> {
        let mut rows = self.rows();
        if rows.mail.unanswered().iter().any(|mail| mail.workspace == *workspace) {
            return Ok(0);
        }
        Ok(rows.files.delete_unnamed(workspace, before))
    }
}

#[async_trait]
impl MailStore for MemoryStore {
    async fn post(
        &self,
        workspace: &WorkspaceKey,
        body: Vec<u8>,
        now: Timestamp,
    ) -> Result<MailId, StoreError> {
        Ok(self.rows().mail.post(workspace.clone(), body, now))
    }

    async fn unanswered(&self) -> Result<Vec<MailRow>, StoreError> {
        Ok(self.rows().mail.unanswered())
    }

    async fn answer(&self, workspace: &WorkspaceKey, id: MailId) -> Result<Option<Vec<u8>>, StoreError> {
        Ok(self.rows().mail.answer(workspace, id))
    }

    async fn answer_refused(
        &self,
        workspace: &WorkspaceKey,
        id: MailId,
        answer: Vec<u8>,
    ) -> Result<(), StoreError> {
        // The first answer stands, and mail that was taken back needs none.
        let _ = self.rows().mail.record_answer(workspace, id, answer);
        Ok(())
    }

    async fn withdraw(&self, workspace: &WorkspaceKey, id: MailId) -> Result<(), StoreError> {
        self.rows().mail.withdraw(workspace, id);
        Ok(())
    }

    async fn delete_answered_before(&self, before: Timestamp) -> Result<(), StoreError> {
        self.rows().mail.delete_answered_before(before);
        Ok(())
    }
}

#[async_trait]
impl Ownership for MemoryStore {
    async fn acquire(&self, now: Timestamp) -> Result<u64, OwnershipError> {
        self.refuse_beside_processes(now)?;
        self.owner.acquire(now).await
    }

    async fn renew(&self, epoch: u64) -> Result<(), OwnershipError> {
        self.owner.renew(epoch).await
    }

    fn release(&self, epoch: u64) {
        self.owner.release(epoch);
    }
}

#[async_trait]
impl WorkspaceOwnership for MemoryStore {
    async fn enter(
        &self,
        process: &WorkerProcessDescription,
        lease: Millis,
        now: Timestamp,
    ) -> Result<WorkerProcessId, OwnershipError> {
        let mut rows = self.rows();
        if self.owner.is_held() {
            let (store, holder) = ("the store in memory".to_owned(), "another runtime".to_owned());
            return Err(OwnershipError::Owned { store, holder });
        }
        Ok(rows.workers.enter(process.clone(), lease, now))
    }

    async fn beat(
        &self,
        process: WorkerProcessId,
        lease: Millis,
        now: Timestamp,
    ) -> Result<Option<WorkerHeartbeat>, StoreError> {
        Ok(self.rows().workers.beat(process, lease, now))
    }

    async fn leave(&self, process: WorkerProcessId) -> Result<(), StoreError> {
        self.rows().workers.leave(process);
        Ok(())
    }

    async fn acquire(
        &self,
        process: WorkerProcessId,
        workspace: &WorkspaceKey,
    ) -> Result<WorkspaceClaim, StoreError> {
        let mut rows = self.rows();
        let stored = rows.workspaces.get(workspace).map(|row| row.epoch);
        let claim = rows.workers.acquire(process, workspace, stored);
        if let (WorkspaceClaim::Acquired { epoch }, Some(row)) = (claim, rows.workspaces.get_mut(workspace)) {
            row.epoch = epoch;
        }
        Ok(claim)
    }

    async fn release(
        &self,
        process: WorkerProcessId,
        workspace: &WorkspaceKey,
        epoch: u64,
    ) -> Result<(), StoreError> {
        self.rows().workers.release(process, workspace, epoch);
        Ok(())
    }

    async fn available(
        &self,
        process: WorkerProcessId,
        workspaces: Vec<WorkspaceKey>,
    ) -> Result<Vec<WorkspaceKey>, StoreError> {
        Ok(self.rows().workers.available(process, workspaces))
    }

    async fn holder(&self, workspace: &WorkspaceKey) -> Result<Option<WorkerProcessRecord>, StoreError> {
        Ok(self.rows().workers.holder(workspace))
    }

    async fn processes(&self) -> Result<Vec<WorkerProcessRecord>, StoreError> {
        Ok(self.rows().workers.processes())
    }

    async fn count_departures(&self, process: WorkerProcessId, now: Timestamp) -> Result<u64, StoreError> {
        Ok(self.rows().workers.count_departures(Some(process), now))
    }
}
