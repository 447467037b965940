//! A store of one's own: every store port over maps behind one mutex.
//!
//! It keeps the whole contract but one word of it: a commit is not durable. All is gone when the process ends, so
//! it is for tests and for sessions that need not outlive their program. A commit works on a copy of everything
//! that takes the place of the old when nothing refused: all or nothing, at a price that grows with the data.

use std::collections::{BTreeMap, BTreeSet};

use async_trait::async_trait;
use entracte_application::instructions::{Instructions, Scope};
use entracte_application::mail::ReceiptKey;
use entracte_application::ports::*;
use entracte_domain::id::{AutomationId, CallId, Digest, SessionId, TaskId, WorkspaceKey};
use entracte_domain::time::Timestamp;
use tokio::sync::Mutex;

type Read<T> = Result<T, StoreError>;

/// Everything that was committed.
#[derive(Clone, Default)]
struct Rows {
    workspaces: BTreeMap<WorkspaceKey, WorkspaceRow>,
    sessions: BTreeMap<SessionId, SessionRow>,
    log: BTreeMap<(WorkspaceKey, u64), LogRow>,
    calls: BTreeMap<(SessionId, u64, u32), CallRow>,
    resources: BTreeMap<WorkspaceKey, ResourceRows>,
    blobs: BTreeMap<Digest, Vec<u8>>,
    mail: MailRows,
    automations: AutomationRows,
    deletions: BTreeMap<WorkspaceKey, Vec<DeletionRow>>,
    changes: BTreeMap<WorkspaceKey, Vec<ChangeRow>>,
    instructions: InstructionRows,
    receipts: ReceiptRows,
    tasks: TaskRows,
}

impl Rows {
    /// A session of this workspace: what another one has is not found.
    fn session(&self, workspace: &WorkspaceKey, id: &SessionId) -> Option<&SessionRow> {
        self.sessions.get(id).filter(|row| row.workspace == *workspace)
    }

    fn known(&self, workspace: &WorkspaceKey, id: &SessionId) -> Result<(), CommitError> {
        let refused = || CommitError::Store(StoreError::Inconsistent(format!("no session {id}")));
        self.session(workspace, id).map(drop).ok_or_else(refused)
    }

    /// The rows after a commit.
    fn after(mut self, commit: Commit) -> Result<Self, CommitError> {
        let key = commit.workspace.key.clone();
        commit.check(self.workspaces.get(&key))?;
        self.workspaces.insert(key.clone(), commit.workspace);
        for (row, expected) in commit.sessions {
            // One of another workspace is in the way of a new row, and is no row that could be changed.
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
            row.expect_same(self.calls.get(&row.place()))?;
            self.calls.insert(row.place(), row);
        }
        let rows = self.resources.entry(key.clone()).or_default();
        commit.resources.into_iter().try_for_each(|change| change.apply(rows))?;
        for blob in commit.blobs {
            self.blobs.entry(blob.digest).or_insert(blob.bytes);
        }
        for (id, expected) in commit.deleted {
            expect_sequence(&id, Some(expected), self.session(&key, &id))?;
            self.sessions.remove(&id);
            self.log.retain(|_, row| row.session != id);
            self.calls.retain(|_, row| row.session != id);
            self.tasks.forget(&key, &id);
            self.instructions.forget(&key, Scope::Session(id));
        }
        for (id, _) in &commit.deleted_automations {
            self.instructions.forget(&key, Scope::Automation(id.clone()));
        }
        for (row, keep) in commit.instructions {
            self.instructions.keep(&key, row, keep)?;
        }
        commit.tasks.into_iter().try_for_each(|row| self.tasks.keep(row))?;
        commit.arrivals.into_iter().try_for_each(|row| self.tasks.tell(row))?;
        for (row, keep) in commit.deletions {
            let here = self.deletions.entry(key.clone()).or_default();
            here.push(row);
            if keep > 0 {
                here.drain(..here.len().saturating_sub(keep as usize));
            }
        }
        for (row, keep) in commit.changes {
            let here = self.changes.entry(key.clone()).or_default();
            here.push(row);
            let old = here.len().saturating_sub(keep as usize);
            if keep > 0 && old > 0 {
                // The latest of those that go stays, as the mark that there were some.
                here.drain(..old - 1);
                here[0] = ChangeRow::mark(here[0].seq);
            }
        }
        for (row, before) in commit.receipts {
            self.receipts.keep(&key, row, before)?;
        }
        let Commit { automations, occurrences, deleted_automations, .. } = commit;
        self.automations.apply(&key, automations, occurrences, deleted_automations)?;
        commit.answers.into_iter().try_for_each(|(id, answer)| self.mail.give_answer(&key, id, answer))?;
        Ok(self)
    }
}

/// The store.
#[derive(Default)]
pub struct Shelf(Mutex<Rows>, OwnerBook);

#[async_trait]
impl Store for Shelf {
    async fn commit(&self, commit: Commit) -> Result<(), CommitError> {
        let mut rows = self.0.lock().await;
        *rows = rows.clone().after(commit)?;
        Ok(())
    }
    async fn workspace(&self, key: &WorkspaceKey) -> Read<Option<WorkspaceRow>> {
        Ok(self.0.lock().await.workspaces.get(key).cloned())
    }
    async fn workspaces(&self) -> Read<Vec<WorkspaceRow>> {
        Ok(self.0.lock().await.workspaces.values().cloned().collect())
    }
    async fn session(&self, key: &WorkspaceKey, id: &SessionId) -> Read<Option<SessionRow>> {
        Ok(self.0.lock().await.session(key, id).cloned())
    }
    async fn is_taken(&self, id: &SessionId) -> Read<bool> {
        Ok(self.0.lock().await.sessions.contains_key(id))
    }
    async fn receipts(&self, key: &WorkspaceKey, keys: &[ReceiptKey]) -> Read<Vec<ReceiptRow>> {
        Ok(self.0.lock().await.receipts.of(key, keys))
    }
    async fn placed(&self, key: &WorkspaceKey) -> Read<Vec<SessionRow>> {
        let rows = self.0.lock().await;
        Ok(rows.sessions.values().filter(|row| row.placed && row.workspace == *key).cloned().collect())
    }
    async fn due(&self, now: Timestamp) -> Read<Vec<(WorkspaceKey, SessionId)>> {
        let rows = self.0.lock().await;
        let due = rows.sessions.values().filter(|row| row.is_due(now));
        Ok(due.map(|row| (row.workspace.clone(), row.id.clone())).collect())
    }
    async fn due_in(&self, key: &WorkspaceKey, now: Timestamp) -> Read<Vec<SessionId>> {
        let rows = self.0.lock().await;
        let due = rows.sessions.values().filter(|row| row.workspace == *key && row.is_due(now));
        Ok(due.map(|row| row.id.clone()).collect())
    }
    async fn next_wake(&self, key: &WorkspaceKey) -> Read<Option<Timestamp>> {
        let rows = self.0.lock().await;
        Ok(rows.sessions.values().filter(|row| row.workspace == *key).filter_map(|row| row.wake_at).min())
    }
    async fn agenda(&self, now: Timestamp) -> Read<Agenda> {
        let rows = self.0.lock().await;
        Ok(Agenda::of(rows.sessions.values().filter_map(|row| Some((&row.workspace, row.wake_at?))), now))
    }
    async fn waiting(&self, what: WaitsFor) -> Read<Vec<WorkspaceKey>> {
        let rows = self.0.lock().await;
        let waiting = rows.sessions.values().filter(|row| row.waits_for(what));
        let keys: BTreeSet<&WorkspaceKey> = waiting.map(|row| &row.workspace).collect();
        Ok(keys.into_iter().cloned().collect())
    }
}

#[async_trait]
impl LogReader for Shelf {
    async fn changes(&self, key: &WorkspaceKey, after: u64, limit: u32) -> Read<Vec<ChangeRow>> {
        let rows = self.0.lock().await;
        let here = rows.changes.get(key).into_iter().flatten().filter(|row| row.seq > after);
        Ok(here.take(limit as usize).cloned().collect())
    }
    async fn deletions(&self, key: &WorkspaceKey, limit: u32) -> Read<Vec<DeletionRow>> {
        let rows = self.0.lock().await;
        let here = rows.deletions.get(key).into_iter().flatten().rev();
        Ok(here.take(limit as usize).cloned().collect())
    }
    async fn instructions(&self, key: &WorkspaceKey, scopes: &[Scope]) -> Read<Vec<Instructions>> {
        Ok(self.0.lock().await.instructions.latest(key, scopes))
    }
    async fn versions_of_instructions(
        &self,
        key: &WorkspaceKey,
        scope: &Scope,
        before: Option<u64>,
        limit: u32,
    ) -> Read<Vec<Instructions>> {
        Ok(self.0.lock().await.instructions.versions(key, scope, before, limit))
    }
    async fn entries(
        &self,
        key: &WorkspaceKey,
        session: &SessionId,
        after: u64,
        limit: u32,
    ) -> Read<Vec<LogRow>> {
        let rows = self.0.lock().await;
        let here = rows.log.iter().filter(|((workspace, _), _)| workspace == key).map(|(_, row)| row);
        let found = here.filter(|row| row.session == *session && row.seq > after);
        Ok(found.take(limit as usize).cloned().collect())
    }
    async fn entry(&self, workspace: &WorkspaceKey, seq: u64) -> Read<Option<LogRow>> {
        Ok(self.0.lock().await.log.get(&(workspace.clone(), seq)).cloned())
    }
    async fn calls(&self, key: &WorkspaceKey, session: &SessionId) -> Read<Vec<CallRow>> {
        let rows = self.0.lock().await;
        let is_here = rows.session(key, session).is_some();
        Ok(rows.calls.values().filter(|row| is_here && row.session == *session).cloned().collect())
    }
    async fn call(&self, key: &WorkspaceKey, id: &CallId) -> Read<Option<CallRow>> {
        let rows = self.0.lock().await;
        let is_here = |row: &&CallRow| row.id == *id && rows.session(key, &row.session).is_some();
        Ok(rows.calls.values().find(is_here).cloned())
    }
    async fn sessions(&self, filter: &SessionFilter) -> Read<Vec<SessionRow>> {
        Ok(filter.pick(self.0.lock().await.sessions.values()))
    }
    async fn blob(&self, key: &WorkspaceKey, session: &SessionId, digest: &Digest) -> Read<Option<Vec<u8>>> {
        let rows = self.0.lock().await;
        Ok(rows.session(key, session).and_then(|_| rows.blobs.get(digest).cloned()))
    }
}

#[async_trait]
impl ResourceReader for Shelf {
    async fn resources(&self, key: &WorkspaceKey, filter: &ResourceFilter) -> Read<Vec<Resource>> {
        let rows = self.0.lock().await;
        Ok(filter.pick(rows.resources.get(key).into_iter().flat_map(BTreeMap::values)))
    }
}

#[async_trait]
impl AutomationReader for Shelf {
    async fn automations(&self, workspace: &WorkspaceKey) -> Read<Vec<AutomationRow>> {
        Ok(self.0.lock().await.automations.of(workspace))
    }
    async fn automation(&self, key: &WorkspaceKey, id: &AutomationId) -> Read<Option<AutomationRow>> {
        Ok(self.0.lock().await.automations.find(key, id))
    }
    async fn occurrences(
        &self,
        key: &WorkspaceKey,
        automation: &AutomationId,
        before: Option<Timestamp>,
        limit: u32,
    ) -> Read<Vec<OccurrenceRow>> {
        Ok(self.0.lock().await.automations.occurrences(key, automation, before, limit))
    }
    async fn scheduled(&self, now: Timestamp) -> Read<Agenda> {
        Ok(self.0.lock().await.automations.scheduled(now))
    }
}

#[async_trait]
impl TaskReader for Shelf {
    async fn task(&self, workspace: &WorkspaceKey, id: &TaskId) -> Read<Option<TaskRow>> {
        Ok(self.0.lock().await.tasks.task(workspace, id))
    }
    async fn locate(&self, id: &TaskId) -> Read<Option<TaskRow>> {
        Ok(self.0.lock().await.tasks.locate(id))
    }
    async fn tasks(&self, workspace: &WorkspaceKey, filter: TaskFilter) -> Read<Vec<TaskRow>> {
        Ok(self.0.lock().await.tasks.tasks(workspace, &filter))
    }
    async fn due_tasks(&self, workspace: &WorkspaceKey, now: Timestamp) -> Read<Vec<TaskRow>> {
        Ok(self.0.lock().await.tasks.due(workspace, now))
    }
    async fn next_task(&self, workspace: &WorkspaceKey) -> Read<Option<Timestamp>> {
        Ok(self.0.lock().await.tasks.next(workspace))
    }
    async fn tasks_agenda(&self, now: Timestamp) -> Read<Agenda> {
        Ok(self.0.lock().await.tasks.agenda(now))
    }
    async fn arrival(
        &self,
        workspace: &WorkspaceKey,
        task: &TaskId,
        webhook_id: &str,
    ) -> Read<Option<TaskArrivalRow>> {
        Ok(self.0.lock().await.tasks.arrival(workspace, task, webhook_id))
    }
    async fn arrivals(&self, workspace: &WorkspaceKey, task: &TaskId) -> Read<Vec<TaskArrivalRow>> {
        Ok(self.0.lock().await.tasks.arrivals(workspace, task))
    }
}

#[async_trait]
impl MailStore for Shelf {
    async fn post(&self, workspace: &WorkspaceKey, body: Vec<u8>, now: Timestamp) -> Read<MailId> {
        Ok(self.0.lock().await.mail.post(workspace.clone(), body, now))
    }
    async fn unanswered(&self) -> Read<Vec<MailRow>> {
        Ok(self.0.lock().await.mail.unanswered())
    }
    async fn answer(&self, key: &WorkspaceKey, id: MailId) -> Read<Option<Vec<u8>>> {
        Ok(self.0.lock().await.mail.answer(key, id))
    }
    async fn refuse(&self, key: &WorkspaceKey, id: MailId, answer: Vec<u8>) -> Read<()> {
        self.0.lock().await.mail.give_answer(key, id, answer).or(Ok(())) // The first answer stands.
    }
    async fn take_back(&self, key: &WorkspaceKey, id: MailId) -> Read<()> {
        self.0.lock().await.mail.take_back(key, id);
        Ok(())
    }
    async fn forget(&self, before: Timestamp) -> Read<()> {
        self.0.lock().await.mail.forget(before);
        Ok(())
    }
}

#[async_trait]
impl Ownership for Shelf {
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
