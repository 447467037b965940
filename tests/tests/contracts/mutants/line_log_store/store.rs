//! A store over any engine that stores lines: each operation is a line, the rows are in memory, and opening replays all
//! lines. Suited to small stores; each commit costs one line.
//!
//! The kit's memory store checks each commit, and nothing waits between that and the line. A line that cannot be
//! written leaves memory ahead of the engine, so nothing more is written until the store is reopened.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use entracte_application::mail::ReceiptKey;
use entracte_application::ports::{
    CommitError, InProcessOwnership, MailId, MailRow, MailStore, Ownership, OwnershipError, ReceiptRow,
    SessionRow, StoreError, WaitCondition, WakeSchedule, WorkspaceCommit, WorkspaceRow, WorkspaceStore,
};
use entracte_domain::id::{SessionId, WorkspaceKey};
use entracte_domain::time::Timestamp;
use entracte_tests::contracts::StoreFixture;
use entracte_tests::fakes::memory_store::MemoryStore;
use serde::{Deserialize, Serialize};
use tokio::sync::Mutex;

use super::fault::StoreFault;

/// Delay between the halves of a commit in a store that splits it.
const BETWEEN_THE_HALVES: Duration = Duration::from_millis(10);

/// An engine that stores lines in order.
pub(crate) trait LineLogEngine: Send + Sync {
    /// Every stored line.
    fn lines(&self) -> Result<Vec<Vec<u8>>, String>;

    /// Appends one line; it is durable when this returns.
    fn append_line(&self, line: &[u8]) -> Result<(), String>;
}

/// One logged operation.
#[derive(Serialize, Deserialize)]
enum StoreLogLine {
    Commit(Box<WorkspaceCommit>),
    Post { workspace: String, body: Vec<u8>, at: i64 },
    Refuse { workspace: String, id: MailId, answer: Vec<u8> },
    TakeBack { workspace: String, id: MailId },
    Forget { before: i64 },
    Owner { epoch: u64 },
}

/// The store.
pub(crate) struct LineLogStore {
    memory: Arc<MemoryStore>,
    engine: Box<dyn LineLogEngine>,
    owner: InProcessOwnership,
    /// Whether a line could not be written; the lock also serializes writes.
    is_broken: Mutex<bool>,
    /// Lines that a store with delayed writes has not written yet.
    late: std::sync::Mutex<Vec<Vec<u8>>>,
    fault: Option<StoreFault>,
}

impl LineLogStore {
    /// Opens the store from an engine's lines.
    pub(crate) async fn open(
        engine: Box<dyn LineLogEngine>,
        fault: Option<StoreFault>,
    ) -> Result<Self, StoreError> {
        let memory = Arc::new(MemoryStore::new());
        let mut epochs = 0;
        for line in engine.lines().map_err(unavailable)? {
            let line = serde_json::from_slice(&line).map_err(|error| damaged(&error))?;
            epochs = epochs.max(replay_line(&memory, line, fault).await?);
        }
        let owner = match fault {
            Some(StoreFault::CountsEpochsAnew) => InProcessOwnership::default(),
            _ => InProcessOwnership::with_last_epoch(epochs),
        };
        Ok(Self { memory, engine, owner, is_broken: Mutex::new(false), late: Default::default(), fault })
    }

    /// All ports of the store.
    pub(crate) fn stores(self) -> StoreFixture {
        let memory = self.memory.clone();
        let kept = Arc::new(self);
        StoreFixture {
            store: kept.clone(),
            log: memory.clone(),
            resources: memory.clone(),
            mail: kept.clone(),
            automations: memory.clone(),
            tasks: memory,
            ownership: kept,
            keep: Box::new(()),
        }
    }

    fn has(&self, fault: StoreFault) -> bool {
        self.fault == Some(fault)
    }

    fn append_log_line(&self, line: &StoreLogLine, is_broken: &mut bool) -> Result<(), StoreError> {
        if *is_broken {
            return Err(unavailable("it could not be written before; open it again".to_owned()));
        }
        let line = serde_json::to_vec(line).map_err(|error| damaged(&error))?;
        let mut late = self.late.lock().expect("nobody panics with it");
        late.push(line);
        let ready = late.len() - usize::from(self.has(StoreFault::KeepsLater));
        let kept = late.drain(..ready).try_for_each(|line| self.engine.append_line(&line));
        kept.map_err(|error| {
            *is_broken = true;
            unavailable(error)
        })
    }

    async fn commit_whole(&self, commit: WorkspaceCommit, is_broken: &mut bool) -> Result<(), CommitError> {
        self.memory.commit(commit.clone()).await?;
        Ok(self.append_log_line(&StoreLogLine::Commit(Box::new(commit)), is_broken)?)
    }

    /// The faulty commit: the log first, and the rest if possible.
    async fn commit_in_two(&self, commit: WorkspaceCommit, is_broken: &mut bool) -> Result<(), CommitError> {
        let (log, rest) = halves(commit);
        self.commit_whole(log, is_broken).await?;
        tokio::task::yield_now().await;
        // As on a slow disk: a busy machine needs a while to kill a process, which would otherwise be too late.
        std::thread::sleep(BETWEEN_THE_HALVES);
        self.commit_whole(rest, is_broken).await
    }
}

/// Replays a line; returns the epoch of an owner.
async fn replay_line(
    memory: &MemoryStore,
    line: StoreLogLine,
    fault: Option<StoreFault>,
) -> Result<u64, StoreError> {
    match line {
        StoreLogLine::Commit(mut commit) => {
            if fault == Some(StoreFault::ForgetsReceipts) {
                commit.receipts.clear();
            }
            memory.commit(*commit).await.map_err(|error| damaged(&error))?;
        }
        StoreLogLine::Post { .. } if fault == Some(StoreFault::ForgetsMail) => {}
        StoreLogLine::Post { workspace, body, at } => {
            memory.post(&WorkspaceKey::new(workspace), body, Timestamp(at)).await?;
        }
        StoreLogLine::Refuse { workspace, id, answer } => {
            memory.answer_refused(&WorkspaceKey::new(workspace), id, answer).await?;
        }
        StoreLogLine::TakeBack { workspace, id } => {
            memory.withdraw(&WorkspaceKey::new(workspace), id).await?
        }
        StoreLogLine::Forget { before } => memory.delete_answered_before(Timestamp(before)).await?,
        StoreLogLine::Owner { epoch } => return Ok(epoch),
    }
    Ok(0)
}

/// A commit of the log alone, and one of the remaining parts.
fn halves(commit: WorkspaceCommit) -> (WorkspaceCommit, WorkspaceCommit) {
    let rest = WorkspaceCommit {
        expected_seq: Some(commit.workspace.seq),
        sessions: Vec::new(),
        log: Vec::new(),
        changes: Vec::new(),
        ..commit.clone()
    };
    let log = WorkspaceCommit {
        calls: Vec::new(),
        resources: Vec::new(),
        blobs: Vec::new(),
        answers: Vec::new(),
        deleted: Vec::new(),
        automations: Vec::new(),
        occurrences: Vec::new(),
        deleted_automations: Vec::new(),
        deletions: Vec::new(),
        receipts: Vec::new(),
        spent_links: Vec::new(),
        costs: Vec::new(),
        withdrawn_costs: Vec::new(),
        triage: Vec::new(),
        inbox: Vec::new(),
        files: Vec::new(),
        ..commit
    };
    (log, rest)
}

fn unavailable(why: String) -> StoreError {
    StoreError::Unavailable(why.into())
}

fn damaged(why: &dyn std::fmt::Display) -> StoreError {
    StoreError::Inconsistent(why.to_string())
}

#[async_trait]
impl WorkspaceStore for LineLogStore {
    async fn commit(&self, mut commit: WorkspaceCommit) -> Result<(), CommitError> {
        let mut is_broken = self.is_broken.lock().await;
        if self.has(StoreFault::LeavesOutBlobs) {
            commit.blobs.clear();
        }
        if self.has(StoreFault::LooksAtNoEpoch) {
            let stored = self.memory.workspace(&commit.workspace.key).await?;
            commit.workspace.epoch = stored.map_or(0, |row| row.epoch).max(commit.workspace.epoch);
        }
        let written = match self.has(StoreFault::WritesInTwo) {
            true => self.commit_in_two(commit, &mut is_broken).await,
            false => self.commit_whole(commit, &mut is_broken).await,
        };
        match (written, self.fault) {
            (Err(CommitError::Conflict(_)), Some(StoreFault::SaysThatItIsWritten)) => Ok(()),
            (Err(CommitError::Conflict(text)), Some(StoreFault::TakesConflictsForDamage)) => {
                Err(StoreError::Inconsistent(text).into())
            }
            (Err(CommitError::Conflict(_)), Some(StoreFault::SaysNotWhatChanged)) => {
                Err(CommitError::Conflict("something".to_owned()))
            }
            (written, _) => written,
        }
    }

    async fn workspace(&self, key: &WorkspaceKey) -> Result<Option<WorkspaceRow>, StoreError> {
        self.memory.workspace(key).await
    }

    async fn workspaces(&self) -> Result<Vec<WorkspaceRow>, StoreError> {
        let mut rows = self.memory.workspaces().await?;
        if self.has(StoreFault::ListsInNoOrder) {
            rows.reverse();
        }
        Ok(rows)
    }

    async fn session(&self, key: &WorkspaceKey, id: &SessionId) -> Result<Option<SessionRow>, StoreError> {
        if self.has(StoreFault::HasNoWalls) {
            for row in self.memory.workspaces().await? {
                if let Some(found) = self.memory.session(&row.key, id).await? {
                    return Ok(Some(found));
                }
            }
        }
        self.memory.session(key, id).await
    }

    async fn session_id_exists(&self, id: &SessionId) -> Result<bool, StoreError> {
        self.memory.session_id_exists(id).await
    }

    async fn receipts(&self, key: &WorkspaceKey, keys: &[ReceiptKey]) -> Result<Vec<ReceiptRow>, StoreError> {
        self.memory.receipts(key, keys).await
    }

    async fn sessions_with_slot_demand(&self, key: &WorkspaceKey) -> Result<Vec<SessionRow>, StoreError> {
        self.memory.sessions_with_slot_demand(key).await
    }

    async fn due(&self, now: Timestamp) -> Result<Vec<(WorkspaceKey, SessionId)>, StoreError> {
        let mut due = self.memory.due(now).await?;
        if self.has(StoreFault::WakesNobody) {
            due.clear();
        }
        Ok(due)
    }

    async fn due_sessions_in(
        &self,
        key: &WorkspaceKey,
        now: Timestamp,
    ) -> Result<Vec<SessionId>, StoreError> {
        self.memory.due_sessions_in(key, now).await
    }

    async fn next_wake(&self, key: &WorkspaceKey) -> Result<Option<Timestamp>, StoreError> {
        self.memory.next_wake(key).await
    }

    async fn wake_schedule(&self, now: Timestamp) -> Result<WakeSchedule, StoreError> {
        self.memory.wake_schedule(now).await
    }

    async fn waiting(&self, what: WaitCondition) -> Result<Vec<WorkspaceKey>, StoreError> {
        self.memory.waiting(what).await
    }
}

#[async_trait]
impl MailStore for LineLogStore {
    async fn post(&self, key: &WorkspaceKey, body: Vec<u8>, now: Timestamp) -> Result<MailId, StoreError> {
        let mut is_broken = self.is_broken.lock().await;
        let id = self.memory.post(key, body.clone(), now).await?;
        let line = StoreLogLine::Post { workspace: key.to_string(), body, at: now.0 };
        self.append_log_line(&line, &mut is_broken).map(|()| id)
    }

    async fn unanswered(&self) -> Result<Vec<MailRow>, StoreError> {
        let mut rows = self.memory.unanswered().await?;
        if self.has(StoreFault::SortsMailByNothing) {
            rows.reverse();
        }
        Ok(rows)
    }

    async fn answer(&self, key: &WorkspaceKey, id: MailId) -> Result<Option<Vec<u8>>, StoreError> {
        self.memory.answer(key, id).await
    }

    async fn answer_refused(
        &self,
        key: &WorkspaceKey,
        id: MailId,
        answer: Vec<u8>,
    ) -> Result<(), StoreError> {
        let mut is_broken = self.is_broken.lock().await;
        self.memory.answer_refused(key, id, answer.clone()).await?;
        self.append_log_line(&StoreLogLine::Refuse { workspace: key.to_string(), id, answer }, &mut is_broken)
    }

    async fn withdraw(&self, key: &WorkspaceKey, id: MailId) -> Result<(), StoreError> {
        let mut is_broken = self.is_broken.lock().await;
        self.memory.withdraw(key, id).await?;
        self.append_log_line(&StoreLogLine::TakeBack { workspace: key.to_string(), id }, &mut is_broken)
    }

    async fn delete_answered_before(&self, before: Timestamp) -> Result<(), StoreError> {
        let mut is_broken = self.is_broken.lock().await;
        self.memory.delete_answered_before(before).await?;
        self.append_log_line(&StoreLogLine::Forget { before: before.0 }, &mut is_broken)
    }
}

#[async_trait]
impl Ownership for LineLogStore {
    async fn acquire(&self, now: Timestamp) -> Result<u64, OwnershipError> {
        let mut is_broken = self.is_broken.lock().await;
        let epoch = match self.owner.acquire(now).await {
            Err(OwnershipError::Owned { .. }) if self.has(StoreFault::HasManyOwners) => 1,
            taken => taken?,
        };
        // The engine is locked while it is open, so there is no other process.
        self.append_log_line(&StoreLogLine::Owner { epoch }, &mut is_broken)?;
        Ok(epoch)
    }

    async fn renew(&self, epoch: u64) -> Result<(), OwnershipError> {
        self.owner.renew(epoch).await
    }

    fn release(&self, epoch: u64) {
        self.owner.release(epoch);
    }
}
