//! A store that fails on request.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};

use async_trait::async_trait;
use entracte_application::codec::{decode_entry, encode_entry_as_json};
use entracte_application::mail::ReceiptKey;
use entracte_application::ports::{
    CommitError, ReceiptRow, SessionRow, StoreError, WaitCondition, WakeSchedule, WorkspaceCommit,
    WorkspaceRow, WorkspaceStore,
};
use entracte_domain::id::{SessionId, WorkspaceKey};
use entracte_domain::time::Timestamp;

/// Passes everything on, but can fail commits; counts reads.
pub struct FlakyStore {
    inner: Arc<dyn WorkspaceStore>,
    failures: AtomicU32,
    keeps_silent: AtomicBool,
    /// The number of the next failing commit, and the number of commits so far; 0 = none fails.
    until: AtomicU32,
    is_silent: AtomicBool,
    commits: AtomicU32,
    never: OnceLock<String>,
    reads: AtomicU32,
    sessions: AtomicU32,
}

impl FlakyStore {
    /// Wraps this store.
    pub fn new(inner: Arc<dyn WorkspaceStore>) -> Self {
        Self {
            inner,
            failures: AtomicU32::new(0),
            keeps_silent: AtomicBool::new(false),
            until: AtomicU32::new(0),
            is_silent: AtomicBool::new(false),
            commits: AtomicU32::new(0),
            never: OnceLock::new(),
            reads: AtomicU32::new(0),
            sessions: AtomicU32::new(0),
        }
    }

    /// The next `count` commits fail and write nothing.
    pub fn fail_next(&self, count: u32) {
        self.failures.store(count, Ordering::SeqCst);
    }

    /// The next commit is written, but its answer is lost.
    pub fn lose_next_answer(&self) {
        self.keeps_silent.store(true, Ordering::SeqCst);
    }

    /// After `count` commits one fails: it writes nothing, or with `silent` it is written and its answer is lost.
    pub fn fail_after(&self, count: u32, silent: bool) {
        self.until.store(count + 1, Ordering::SeqCst);
        self.is_silent.store(silent, Ordering::SeqCst);
    }

    /// Number of commits, failed ones included.
    pub fn commits(&self) -> u32 {
        self.commits.load(Ordering::SeqCst)
    }

    /// Cancels all planned failures.
    pub fn recover(&self) {
        self.failures.store(0, Ordering::SeqCst);
        self.keeps_silent.store(false, Ordering::SeqCst);
    }

    /// An input whose entry contains this text in its JSON can never be written.
    pub fn reject_inputs_with(&self, text: &str) {
        self.never.get_or_init(|| text.to_owned());
    }

    /// Number of reads.
    pub fn reads(&self) -> u32 {
        self.reads.load(Ordering::SeqCst)
    }

    /// Number of reads of single sessions.
    pub fn sessions_read(&self) -> u32 {
        self.sessions.load(Ordering::SeqCst)
    }

    fn read(&self) -> &dyn WorkspaceStore {
        self.reads.fetch_add(1, Ordering::SeqCst);
        &*self.inner
    }

    fn refuses(&self, commit: &WorkspaceCommit) -> bool {
        let in_json =
            |row| decode_entry(row).and_then(|entry| encode_entry_as_json(&entry)).unwrap_or_default();
        self.never.get().is_some_and(|text| {
            commit.log.iter().any(|row| String::from_utf8_lossy(&in_json(row)).contains(text.as_str()))
        })
    }
}

#[async_trait]
impl WorkspaceStore for FlakyStore {
    async fn commit(&self, commit: WorkspaceCommit) -> Result<(), CommitError> {
        self.commits.fetch_add(1, Ordering::SeqCst);
        let until = self.until.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1));
        if until == Ok(1) {
            match self.is_silent.load(Ordering::SeqCst) {
                true => self.lose_next_answer(),
                false => self.fail_next(1),
            }
        }
        let fails =
            self.failures.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1));
        if self.refuses(&commit) {
            return Err(StoreError::Inconsistent("this text cannot be kept".into()).into());
        }
        match fails {
            Ok(_) => Err(StoreError::Unavailable("the disk is full".into()).into()),
            Err(_) => {
                self.inner.commit(commit).await?;
                if self.keeps_silent.swap(false, Ordering::SeqCst) {
                    return Err(StoreError::Unavailable("the answer was lost".into()).into());
                }
                Ok(())
            }
        }
    }

    async fn workspace(&self, key: &WorkspaceKey) -> Result<Option<WorkspaceRow>, StoreError> {
        self.read().workspace(key).await
    }

    async fn workspaces(&self) -> Result<Vec<WorkspaceRow>, StoreError> {
        self.read().workspaces().await
    }

    async fn session(
        &self,
        workspace: &WorkspaceKey,
        id: &SessionId,
    ) -> Result<Option<SessionRow>, StoreError> {
        self.sessions.fetch_add(1, Ordering::SeqCst);
        self.read().session(workspace, id).await
    }

    async fn session_id_exists(&self, id: &SessionId) -> Result<bool, StoreError> {
        self.read().session_id_exists(id).await
    }

    async fn receipts(
        &self,
        workspace: &WorkspaceKey,
        keys: &[ReceiptKey],
    ) -> Result<Vec<ReceiptRow>, StoreError> {
        self.read().receipts(workspace, keys).await
    }

    async fn sessions_with_slot_demand(
        &self,
        workspace: &WorkspaceKey,
    ) -> Result<Vec<SessionRow>, StoreError> {
        self.read().sessions_with_slot_demand(workspace).await
    }

    async fn due(&self, now: Timestamp) -> Result<Vec<(WorkspaceKey, SessionId)>, StoreError> {
        self.read().due(now).await
    }

    async fn due_sessions_in(
        &self,
        workspace: &WorkspaceKey,
        now: Timestamp,
    ) -> Result<Vec<SessionId>, StoreError> {
        self.read().due_sessions_in(workspace, now).await
    }

    async fn next_wake(&self, workspace: &WorkspaceKey) -> Result<Option<Timestamp>, StoreError> {
        self.read().next_wake(workspace).await
    }

    async fn wake_schedule(&self, now: Timestamp) -> Result<WakeSchedule, StoreError> {
        self.read().wake_schedule(now).await
    }

    async fn waiting(&self, what: WaitCondition) -> Result<Vec<WorkspaceKey>, StoreError> {
        self.read().waiting(what).await
    }

    async fn check_writable(&self) -> Result<(), StoreError> {
        self.inner.check_writable().await
    }

    fn is_stalled(&self) -> bool {
        self.inner.is_stalled()
    }
}
