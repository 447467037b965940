//! A custom store: every store port over maps behind one mutex.
//!
//! It fulfils the whole contract except that a commit is not durable: everything is lost when the process ends, so it
//! suits tests and sessions that need not outlive their program. A commit works on a copy of all rows that replaces the
//! old ones if no step fails: all or nothing, at a cost that grows with the data.

use std::collections::{BTreeMap, BTreeSet};

use async_trait::async_trait;
use entracte_application::instructions::{InstructionScope, InstructionVersion};
use entracte_application::mail::ReceiptKey;
use entracte_application::ports::*;
use entracte_domain::id::{AutomationId, CallId, Digest, SessionId, TaskId, WorkspaceKey};
use entracte_domain::time::Timestamp;
use tokio::sync::Mutex;

type StoreResult<T> = Result<T, StoreError>;

/// All committed rows.
#[derive(Clone, Default)]
struct MapTables {
    workspaces: BTreeMap<WorkspaceKey, WorkspaceRow>,
    sessions: BTreeMap<SessionId, SessionRow>,
    log: BTreeMap<(WorkspaceKey, u64), LogRow>,
    calls: BTreeMap<(SessionId, u64, u32), CallRow>,
    resources: BTreeMap<WorkspaceKey, MemoryResourceTable>,
    blobs: BTreeMap<Digest, Vec<u8>>,
    mail: MemoryMailTable,
    automations: MemoryAutomationTable,
    deletions: BTreeMap<WorkspaceKey, Vec<DeletionRow>>,
    changes: BTreeMap<WorkspaceKey, Vec<ResourceChangeRow>>,
    instructions: MemoryInstructionTable,
    receipts: MemoryReceiptTable,
    tasks: MemoryTaskTable,
    costs: MemoryCostTable,
    retention: MemoryRetentionTable,
    triage: MemoryTriageTable,
}

impl MapTables {
    /// The session if it belongs to this workspace; sessions of other workspaces are not found.
    fn session(&self, workspace: &WorkspaceKey, id: &SessionId) -> Option<&SessionRow> {
        self.sessions.get(id).filter(|row| row.workspace == *workspace)
    }

    fn known(&self, workspace: &WorkspaceKey, id: &SessionId) -> Result<(), CommitError> {
        let refused = || CommitError::Store(StoreError::Inconsistent(format!("no session {id}")));
        self.session(workspace, id).map(drop).ok_or_else(refused)
    }

    /// Returns the rows after a commit.
    fn after(mut self, commit: WorkspaceCommit) -> Result<Self, CommitError> {
        let key = commit.workspace.key.clone();
        commit.check(self.workspaces.get(&key))?;
        self.costs.apply(&commit);
        self.retention.apply(&commit);
        let sessions = self.sessions.values().chain(commit.sessions.iter().map(|(row, _)| row));
        let here: BTreeSet<&SessionId> =
            sessions.filter(|row| row.workspace == key).map(|row| &row.id).collect();
        self.triage.apply(&commit, |id| here.contains(id))?;
        self.workspaces.insert(key.clone(), commit.workspace);
        for (row, expected) in commit.sessions {
            // A session of another workspace conflicts with a new row, but cannot be updated.
            let is_seen = |old: &&SessionRow| expected.is_none() || old.workspace == key;
            expect_sequence(&row.id, expected, self.sessions.get(&row.id).filter(is_seen))?;
            self.sessions.insert(row.id.clone(), row);
        }
        for row in commit.log {
            self.known(&key, &row.session)?;
            row.expect_new(self.log.values())?;
            self.log.insert((key.clone(), row.seq), row);
        }
        for row in commit.calls {
            self.known(&key, &row.session)?;
            row.expect_same(self.calls.get(&row.log_position()))?;
            self.calls.insert(row.log_position(), row);
        }
        let rows = self.resources.entry(key.clone()).or_default();
        commit.resources.into_iter().try_for_each(|change| change.apply(rows))?;
        for blob in commit.blobs {
            self.blobs.entry(blob.digest).or_insert(blob.bytes);
        }
        let retention = commit.retention;
        for (_, row) in self.log.iter_mut().filter(|((of, _), _)| *of == key) {
            retention.rewrite(row);
        }
        self.log.retain(|(of, _), row| *of != key || retention.keeps_entry(row));
        self.calls.retain(|_, row| retention.keeps_call(row));
        for (id, expected) in commit.deleted {
            expect_sequence(&id, Some(expected), self.session(&key, &id))?;
            self.sessions.remove(&id);
            self.log.retain(|_, row| row.session != id);
            self.calls.retain(|_, row| row.session != id);
            self.tasks.delete_session_tasks(&key, &id);
            self.instructions.delete_scope(&key, InstructionScope::Session(id));
        }
        for (id, _) in &commit.deleted_automations {
            self.instructions.delete_scope(&key, InstructionScope::Automation(id.clone()));
        }
        for (row, keep) in commit.instructions {
            self.instructions.append_version(&key, row, keep)?;
        }
        commit.tasks.into_iter().try_for_each(|row| self.tasks.upsert_task(row))?;
        commit.arrivals.into_iter().try_for_each(|row| self.tasks.record_arrival(row))?;
        for (row, keep) in commit.deletions {
            let here = self.deletions.entry(key.clone()).or_default();
            let is_by_policy = row.is_by_policy();
            here.push(row);
            let alike = here.iter().filter(|row| row.is_by_policy() == is_by_policy).count();
            let mut beyond = if keep > 0 { alike.saturating_sub(keep as usize) } else { 0 };
            here.retain(|row| {
                let goes = row.is_by_policy() == is_by_policy && beyond > 0;
                beyond -= usize::from(goes);
                !goes
            });
        }
        for (row, keep) in commit.changes {
            let here = self.changes.entry(key.clone()).or_default();
            here.push(row);
            let old = here.len().saturating_sub(keep as usize);
            if keep > 0 && old > 0 {
                // The latest of the removed rows stays as the mark that earlier ones existed.
                here.drain(..old - 1);
                here[0] = ResourceChangeRow::pruned_marker(here[0].seq);
            }
        }
        for (row, before) in commit.receipts {
            self.receipts.insert_receipt(&key, row, before)?;
        }
        let WorkspaceCommit { automations, occurrences, deleted_automations, .. } = commit;
        self.automations.apply(&key, automations, occurrences, deleted_automations)?;
        commit.answers.into_iter().try_for_each(|(id, answer)| self.mail.record_answer(&key, id, answer))?;
        Ok(self)
    }
}

/// The store: all rows behind one mutex, and the record of owners.
#[derive(Default)]
pub struct MapStore(Mutex<MapTables>, InProcessOwnership);

#[async_trait]
impl WorkspaceStore for MapStore {
    async fn commit(&self, commit: WorkspaceCommit) -> Result<(), CommitError> {
        let mut rows = self.0.lock().await;
        *rows = rows.clone().after(commit)?;
        Ok(())
    }
    async fn workspace(&self, key: &WorkspaceKey) -> StoreResult<Option<WorkspaceRow>> {
        Ok(self.0.lock().await.workspaces.get(key).cloned())
    }
    async fn workspaces(&self) -> StoreResult<Vec<WorkspaceRow>> {
        Ok(self.0.lock().await.workspaces.values().cloned().collect())
    }
    async fn session(&self, key: &WorkspaceKey, id: &SessionId) -> StoreResult<Option<SessionRow>> {
        Ok(self.0.lock().await.session(key, id).cloned())
    }
    async fn session_id_exists(&self, id: &SessionId) -> StoreResult<bool> {
        Ok(self.0.lock().await.sessions.contains_key(id))
    }
    async fn receipts(&self, key: &WorkspaceKey, keys: &[ReceiptKey]) -> StoreResult<Vec<ReceiptRow>> {
        Ok(self.0.lock().await.receipts.find_receipts(key, keys))
    }
    async fn sessions_with_slot_demand(&self, key: &WorkspaceKey) -> StoreResult<Vec<SessionRow>> {
        let rows = self.0.lock().await;
        Ok(rows.sessions.values().filter(|row| row.placed && row.workspace == *key).cloned().collect())
    }
    async fn due(&self, now: Timestamp) -> StoreResult<Vec<(WorkspaceKey, SessionId)>> {
        let rows = self.0.lock().await;
        let due = rows.sessions.values().filter(|row| row.is_due(now));
        Ok(due.map(|row| (row.workspace.clone(), row.id.clone())).collect())
    }
    async fn due_sessions_in(&self, key: &WorkspaceKey, now: Timestamp) -> StoreResult<Vec<SessionId>> {
        let rows = self.0.lock().await;
        let due = rows.sessions.values().filter(|row| row.workspace == *key && row.is_due(now));
        Ok(due.map(|row| row.id.clone()).collect())
    }
    async fn next_wake(&self, key: &WorkspaceKey) -> StoreResult<Option<Timestamp>> {
        let rows = self.0.lock().await;
        Ok(rows.sessions.values().filter(|row| row.workspace == *key).filter_map(|row| row.wake_at).min())
    }
    async fn wake_schedule(&self, now: Timestamp) -> StoreResult<WakeSchedule> {
        let rows = self.0.lock().await;
        Ok(WakeSchedule::from_instants(
            rows.sessions.values().filter_map(|row| Some((&row.workspace, row.wake_at?))),
            now,
        ))
    }
    async fn waiting(&self, what: WaitCondition) -> StoreResult<Vec<WorkspaceKey>> {
        let rows = self.0.lock().await;
        let waiting = rows.sessions.values().filter(|row| row.waits_for(what));
        let keys: BTreeSet<&WorkspaceKey> = waiting.map(|row| &row.workspace).collect();
        Ok(keys.into_iter().cloned().collect())
    }
}

#[async_trait]
impl LogReader for MapStore {
    async fn changes(
        &self,
        key: &WorkspaceKey,
        after: u64,
        limit: u32,
    ) -> StoreResult<Vec<ResourceChangeRow>> {
        let rows = self.0.lock().await;
        let here = rows.changes.get(key).into_iter().flatten().filter(|row| row.seq > after);
        Ok(here.take(limit as usize).cloned().collect())
    }
    async fn deletions(&self, key: &WorkspaceKey, limit: u32) -> StoreResult<Vec<DeletionRow>> {
        let rows = self.0.lock().await;
        let here = rows.deletions.get(key).into_iter().flatten().rev();
        Ok(here.take(limit as usize).cloned().collect())
    }
    async fn inbox_triage(&self, key: &WorkspaceKey) -> StoreResult<TriageRows> {
        Ok(self.0.lock().await.triage.rows(key))
    }
    async fn instructions(
        &self,
        key: &WorkspaceKey,
        scopes: &[InstructionScope],
    ) -> StoreResult<Vec<InstructionVersion>> {
        Ok(self.0.lock().await.instructions.latest(key, scopes))
    }
    async fn versions_of_instructions(
        &self,
        key: &WorkspaceKey,
        scope: &InstructionScope,
        before: Option<u64>,
        limit: u32,
    ) -> StoreResult<Vec<InstructionVersion>> {
        Ok(self.0.lock().await.instructions.versions(key, scope, before, limit))
    }
    async fn entries(
        &self,
        key: &WorkspaceKey,
        session: &SessionId,
        after: u64,
        limit: u32,
    ) -> StoreResult<Vec<LogRow>> {
        let rows = self.0.lock().await;
        let here = rows.log.iter().filter(|((workspace, _), _)| workspace == key).map(|(_, row)| row);
        let found = here.filter(|row| row.session == *session && row.seq > after);
        Ok(found.take(limit as usize).cloned().collect())
    }
    async fn entry(&self, workspace: &WorkspaceKey, seq: u64) -> StoreResult<Option<LogRow>> {
        Ok(self.0.lock().await.log.get(&(workspace.clone(), seq)).cloned())
    }
    async fn calls(&self, key: &WorkspaceKey, session: &SessionId) -> StoreResult<Vec<CallRow>> {
        let rows = self.0.lock().await;
        let is_here = rows.session(key, session).is_some();
        Ok(rows.calls.values().filter(|row| is_here && row.session == *session).cloned().collect())
    }
    async fn call(&self, key: &WorkspaceKey, id: &CallId) -> StoreResult<Option<CallRow>> {
        let rows = self.0.lock().await;
        let is_here = |row: &&CallRow| row.id == *id && rows.session(key, &row.session).is_some();
        Ok(rows.calls.values().find(is_here).cloned())
    }
    async fn sessions(&self, filter: &SessionFilter) -> StoreResult<SessionRows> {
        Ok(filter.select_matching(self.0.lock().await.sessions.values()).into())
    }
    async fn resting_sessions(&self, filter: &RestingSessionFilter) -> StoreResult<Vec<SessionRow>> {
        let rows = self.0.lock().await;
        Ok(filter.select(rows.sessions.values().cloned(), |id, kind| rows.retention.removed(id, kind)))
    }
    async fn cost_sums(&self, filter: &CostFilter) -> StoreResult<CostPage> {
        let rows = self.0.lock().await;
        rows.costs.sums(filter, |id| rows.session(&filter.workspace, id))
    }
    async fn blob(
        &self,
        key: &WorkspaceKey,
        session: &SessionId,
        digest: &Digest,
    ) -> StoreResult<Option<Vec<u8>>> {
        let rows = self.0.lock().await;
        Ok(rows.session(key, session).and_then(|_| rows.blobs.get(digest).cloned()))
    }
}

#[async_trait]
impl ResourceReader for MapStore {
    async fn resources(&self, key: &WorkspaceKey, filter: &ResourceFilter) -> StoreResult<Vec<ResourceRow>> {
        let rows = self.0.lock().await;
        Ok(filter.select_matching(rows.resources.get(key).into_iter().flat_map(BTreeMap::values)))
    }
}

#[async_trait]
impl AutomationReader for MapStore {
    async fn automations(&self, workspace: &WorkspaceKey) -> StoreResult<Vec<AutomationRow>> {
        Ok(self.0.lock().await.automations.automations_in(workspace))
    }
    async fn automation(&self, key: &WorkspaceKey, id: &AutomationId) -> StoreResult<Option<AutomationRow>> {
        Ok(self.0.lock().await.automations.find(key, id))
    }
    async fn occurrences(
        &self,
        key: &WorkspaceKey,
        automation: &AutomationId,
        before: Option<Timestamp>,
        limit: u32,
    ) -> StoreResult<Vec<OccurrenceRow>> {
        Ok(self.0.lock().await.automations.occurrences(key, automation, before, limit))
    }
    async fn wake_schedule(&self, now: Timestamp) -> StoreResult<WakeSchedule> {
        Ok(self.0.lock().await.automations.next_wake(now))
    }
}

#[async_trait]
impl TaskReader for MapStore {
    async fn task(&self, workspace: &WorkspaceKey, id: &TaskId) -> StoreResult<Option<TaskRow>> {
        Ok(self.0.lock().await.tasks.task(workspace, id))
    }
    async fn task_in_any_workspace(&self, id: &TaskId) -> StoreResult<Option<TaskRow>> {
        Ok(self.0.lock().await.tasks.locate(id))
    }
    async fn tasks(&self, workspace: &WorkspaceKey, filter: TaskFilter) -> StoreResult<Vec<TaskRow>> {
        Ok(self.0.lock().await.tasks.tasks(workspace, &filter))
    }
    async fn due_tasks(&self, workspace: &WorkspaceKey, now: Timestamp) -> StoreResult<Vec<TaskRow>> {
        Ok(self.0.lock().await.tasks.due(workspace, now))
    }
    async fn next_task(&self, workspace: &WorkspaceKey) -> StoreResult<Option<Timestamp>> {
        Ok(self.0.lock().await.tasks.next(workspace))
    }
    async fn task_wake_schedule(&self, now: Timestamp) -> StoreResult<WakeSchedule> {
        Ok(self.0.lock().await.tasks.agenda(now))
    }
    async fn arrival(
        &self,
        workspace: &WorkspaceKey,
        task: &TaskId,
        webhook_id: &str,
    ) -> StoreResult<Option<TaskArrivalRow>> {
        Ok(self.0.lock().await.tasks.arrival(workspace, task, webhook_id))
    }
    async fn arrivals(&self, workspace: &WorkspaceKey, task: &TaskId) -> StoreResult<Vec<TaskArrivalRow>> {
        Ok(self.0.lock().await.tasks.arrivals(workspace, task))
    }
}

#[async_trait]
impl MailStore for MapStore {
    async fn post(&self, workspace: &WorkspaceKey, body: Vec<u8>, now: Timestamp) -> StoreResult<MailId> {
        Ok(self.0.lock().await.mail.post(workspace.clone(), body, now))
    }
    async fn unanswered(&self) -> StoreResult<Vec<MailRow>> {
        Ok(self.0.lock().await.mail.unanswered())
    }
    async fn answer(&self, key: &WorkspaceKey, id: MailId) -> StoreResult<Option<Vec<u8>>> {
        Ok(self.0.lock().await.mail.answer(key, id))
    }
    async fn answer_refused(&self, key: &WorkspaceKey, id: MailId, answer: Vec<u8>) -> StoreResult<()> {
        self.0.lock().await.mail.record_answer(key, id, answer).or(Ok(())) // The first answer stands.
    }
    async fn withdraw(&self, key: &WorkspaceKey, id: MailId) -> StoreResult<()> {
        self.0.lock().await.mail.withdraw(key, id);
        Ok(())
    }
    async fn delete_answered_before(&self, before: Timestamp) -> StoreResult<()> {
        self.0.lock().await.mail.delete_answered_before(before);
        Ok(())
    }
}

#[async_trait]
impl Ownership for MapStore {
    async fn acquire(&self, now: Timestamp) -> Result<u64, OwnershipError> {
        self.1.acquire(now).await
    }
    async fn renew(&self, epoch: u64) -> Result<(), OwnershipError> {
        self.1.renew(epoch).await
    }
    fn release(&self, epoch: u64) {
        self.1.release(epoch);
    }
}
