use async_trait::async_trait;
use entracte_domain::id::{AutomationId, CallId, Digest, SessionId, WorkspaceKey};
use entracte_domain::time::Timestamp;

use super::{
    AutomationRow, MailId, OccurrenceRow, ReceiptRow, ResourceChange, StoreOutage, TaskArrivalRow, TaskRow,
};
use crate::instructions::InstructionVersion;
use crate::mail::ReceiptKey;

/// A workspace's row.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "rows-serde", derive(serde::Serialize, serde::Deserialize))]
pub struct WorkspaceRow {
    /// Its key.
    #[cfg_attr(feature = "rows-serde", serde(with = "super::serde_rows"))]
    pub key: WorkspaceKey,
    /// Number of the last entry of its log; the durable cursor of every stream.
    pub seq: u64,
    /// Settings and the rest, encoded.
    pub body: Vec<u8>,
    /// When it was made.
    #[cfg_attr(feature = "rows-serde", serde(with = "super::serde_rows"))]
    pub created_at: Timestamp,
    /// The epoch of the owner that wrote it last ([`Ownership`](super::Ownership)).
    pub epoch: u64,
}

/// A session's row: a snapshot that replaying its entries gives again, and the columns that lists need.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "rows-serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SessionRow {
    /// Its id.
    #[cfg_attr(feature = "rows-serde", serde(with = "super::serde_rows"))]
    pub id: SessionId,
    /// Where it lives.
    #[cfg_attr(feature = "rows-serde", serde(with = "super::serde_rows"))]
    pub workspace: WorkspaceKey,
    /// `chat`, `seed`, `automation`, `agent`.
    pub kind: String,
    /// Its name.
    pub name: String,
    /// The word for its standing.
    pub standing: String,
    /// The label of its phase.
    pub phase: String,
    /// Counts its inputs; the version for compare-and-swap.
    pub sequence: u64,
    /// It holds or wants a slot: placement looks at it.
    pub placed: bool,
    /// Work is under way or should be: looked at when a process starts.
    pub working: bool,
    /// A person is waited for: shown in the inbox.
    pub waiting: bool,
    /// The earliest deadline of its state.
    #[cfg_attr(feature = "rows-serde", serde(with = "super::serde_rows"))]
    pub wake_at: Option<Timestamp>,
    /// Why it ended.
    pub end_reason: Option<String>,
    /// When it was made.
    #[cfg_attr(feature = "rows-serde", serde(with = "super::serde_rows"))]
    pub created_at: Timestamp,
    /// Last input.
    #[cfg_attr(feature = "rows-serde", serde(with = "super::serde_rows"))]
    pub last_activity: Timestamp,
    /// Facts and phase, encoded.
    pub body: Vec<u8>,
}

/// One entry of a workspace's log: an input of one session, and what it appended.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "rows-serde", derive(serde::Serialize, serde::Deserialize))]
pub struct LogRow {
    /// Number in the workspace, from 1; gaps are left by deleted sessions only.
    pub seq: u64,
    /// Whose input.
    #[cfg_attr(feature = "rows-serde", serde(with = "super::serde_rows"))]
    pub session: SessionId,
    /// The session's sequence after it.
    pub sequence: u64,
    /// When the input was applied.
    #[cfg_attr(feature = "rows-serde", serde(with = "super::serde_rows"))]
    pub at: Timestamp,
    /// The input's name.
    pub label: String,
    /// The client's idempotency key of a user message; unique in its session.
    pub client_key: Option<String>,
    /// The entry, encoded.
    pub body: Vec<u8>,
}

/// A row of the ledger.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "rows-serde", derive(serde::Serialize, serde::Deserialize))]
pub struct CallRow {
    /// The call.
    #[cfg_attr(feature = "rows-serde", serde(with = "super::serde_rows"))]
    pub id: CallId,
    /// The session that asked for it.
    #[cfg_attr(feature = "rows-serde", serde(with = "super::serde_rows"))]
    pub session: SessionId,
    /// The session's sequence of the input that asked for it.
    pub sequence: u64,
    /// Its place in the reply.
    pub ordinal: u32,
    /// Name of the command.
    pub command: String,
    /// Hash of its canonical bytes.
    #[cfg_attr(feature = "rows-serde", serde(with = "super::serde_rows"))]
    pub command_id: Digest,
    /// `query` or `action`.
    pub kind: String,
    /// The word for its state.
    pub state: String,
    /// Times started.
    pub attempt: u32,
    /// The exchange it belongs to (the session's sequence of the human act that began it).
    pub exchange: u64,
    /// When it was asked for.
    #[cfg_attr(feature = "rows-serde", serde(with = "super::serde_rows"))]
    pub requested_at: Timestamp,
    /// When it got its result.
    #[cfg_attr(feature = "rows-serde", serde(with = "super::serde_rows"))]
    pub finished_at: Option<Timestamp>,
    /// Log number of the entry that brought its result.
    pub result_seq: Option<u64>,
    /// The call, encoded.
    pub body: Vec<u8>,
}

/// Bytes kept once by their hash: prompt prefixes, rules.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "rows-serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ContentBlob {
    /// SHA-256, hex.
    #[cfg_attr(feature = "rows-serde", serde(with = "super::serde_rows"))]
    pub digest: Digest,
    /// The bytes.
    pub bytes: Vec<u8>,
}

/// What is left of a session that a person deleted: a record of its workspace.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "rows-serde", derive(serde::Serialize, serde::Deserialize))]
pub struct DeletionRow {
    /// The session; another one may have its id by now.
    #[cfg_attr(feature = "rows-serde", serde(with = "super::serde_rows"))]
    pub session: SessionId,
    /// When it was deleted.
    #[cfg_attr(feature = "rows-serde", serde(with = "super::serde_rows"))]
    pub at: Timestamp,
    /// By whom.
    pub author: String,
    /// What of it was open, encoded.
    pub body: Vec<u8>,
}

/// Everything that one turn of a workspace changes. Plain data; all of it is written or nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "rows-serde", derive(serde::Serialize, serde::Deserialize))]
pub struct WorkspaceCommit {
    /// The workspace's row as it will be, with the epoch of the owner that commits.
    pub workspace: WorkspaceRow,
    /// Its `seq` as it was; none when the row is new. Another one is a conflict.
    pub expected_seq: Option<u64>,
    /// Session rows that changed, each with the sequence it had (none when new).
    pub sessions: Vec<(SessionRow, Option<u64>)>,
    /// New log entries.
    pub log: Vec<LogRow>,
    /// Ledger rows, new or changed.
    pub calls: Vec<CallRow>,
    /// Changes of the workspace's own data.
    pub resources: Vec<ResourceChange>,
    /// Bytes to keep; those already kept stay as they are.
    pub blobs: Vec<ContentBlob>,
    /// Answers to mail that this commit took in.
    pub answers: Vec<(MailId, Vec<u8>)>,
    /// Sessions to delete with their entries and calls, each with the sequence it has; another one is a conflict.
    #[cfg_attr(feature = "rows-serde", serde(with = "super::serde_rows"))]
    pub deleted: Vec<(SessionId, u64)>,
    /// Automations that changed, each with the revision it had (none when new); another one is a conflict.
    pub automations: Vec<(AutomationRow, Option<u64>)>,
    /// Occurrences that were decided; one that is there already is a conflict.
    pub occurrences: Vec<OccurrenceRow>,
    /// Automations to delete, each with the revision it has. Their occurrences stay, as their runs do.
    #[cfg_attr(feature = "rows-serde", serde(with = "super::serde_rows"))]
    pub deleted_automations: Vec<(AutomationId, u64)>,
    /// Records of deleted sessions, each with how many records of the workspace are kept with it, the latest ones; 0 = all.
    pub deletions: Vec<(DeletionRow, u32)>,
    /// What was done under a key, each with the instant before which receipts of the workspace are forgotten with it; one
    /// that is there and is not forgotten is a conflict.
    #[cfg_attr(feature = "rows-serde", serde(with = "super::serde_rows"))]
    pub receipts: Vec<(ReceiptRow, Timestamp)>,
    /// Hashes of the links of this workspace that its decisions spend, and when; one that is spent, or gone, stays so. A
    /// store that keeps no links ([`OutboxStore`](super::OutboxStore)) leaves them out.
    #[cfg_attr(feature = "rows-serde", serde(with = "super::serde_rows"))]
    pub spent_links: Vec<(Digest, Timestamp)>,
    /// What was changed that no session takes in. Their numbers go on after those of the log. Each with how many of the
    /// workspace are kept with it, the latest ones; 0 = all.
    pub changes: Vec<(ResourceChangeRow, u32)>,
    /// New versions of instructions, each with how many versions of its scope are kept with it, the latest ones; 0 = all. A
    /// version that does not follow the latest is a conflict. Those of sessions and automations that this commit deletes go
    /// with them.
    pub instructions: Vec<(InstructionVersion, u32)>,
    /// Long tasks, new or changed. Those of sessions that this commit deletes go with them.
    pub tasks: Vec<TaskRow>,
    /// What was told of tasks under an id of its sender; one that is there is a conflict.
    pub arrivals: Vec<TaskArrivalRow>,
}

impl WorkspaceCommit {
    /// One that writes this row of a workspace that is new, and nothing else.
    pub fn for_workspace(workspace: WorkspaceRow) -> Self {
        Self {
            workspace,
            expected_seq: None,
            sessions: Vec::new(),
            log: Vec::new(),
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
            changes: Vec::new(),
            instructions: Vec::new(),
            tasks: Vec::new(),
            arrivals: Vec::new(),
        }
    }
}

/// That something of a workspace was changed which no session takes in: settings, rules, data, automations,
/// instructions, and that sessions were deleted.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "rows-serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ResourceChangeRow {
    /// Number in the workspace: log and changes count together.
    pub seq: u64,
    /// What it is: `setting`, `rule`, `automation`, `session`, `instructions`, `task`, or the kind of a
    /// resource; or [`ResourceChangeRow::PRUNED`].
    pub kind: String,
    /// Its id, or the key of a setting.
    pub id: String,
    /// Its version from now on, where it counts them.
    pub revision: Option<u64>,
    /// It is there no more.
    pub gone: bool,
}

impl ResourceChangeRow {
    /// The kind of the row that stands where those before it were forgotten: the latest of them.
    pub const PRUNED: &str = "pruned";

    /// The row of that kind.
    pub fn pruned_marker(seq: u64) -> Self {
        Self { seq, kind: Self::PRUNED.to_owned(), id: String::new(), revision: None, gone: false }
    }
}

/// Where something is due, and when something is due next.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WakeSchedule {
    /// The workspaces where something is due, each once, by key.
    pub due: Vec<WorkspaceKey>,
    /// The earliest instant after the one that was asked for; none when nothing is to come.
    pub next: Option<Timestamp>,
}

/// What a session may wait for that has no deadline of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaitCondition {
    /// A slot: it is queued, or suspended.
    Slot,
    /// The network: it may go on before its deadline.
    Network,
}

/// Why nothing was committed, or is not known to be.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CommitError {
    /// A row has another version than expected. Nothing was written; load again and decide again.
    #[error("{0} was changed by another writer")]
    Conflict(String),
    /// The workspace was written by an owner of a later epoch: this process no longer owns the store. Nothing was written,
    /// and nothing of this process will be again.
    #[error("{0}; another process owns the database now")]
    NotOwner(String),
    /// The store failed. With [`StoreError::Inconsistent`] nothing was written. With [`StoreError::Unavailable`] nothing is
    /// known to be: mostly nothing was, but a server that was lost in the middle of a commit may have it. The same commit
    /// again does no harm: where the first one is there, the second is a conflict.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Why a store cannot answer, or did not write.
///
/// What was asked of a store is done whole or not at all, also where it failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// It cannot be reached, opened or written (disk full, read-only, locked, gone). It passes, so trying again later makes
    /// sense. What was to be written is not there, unless a server was lost in the middle of it: then it may be. So whoever
    /// tries again does it under the same id, version or key.
    #[error("the database cannot be used: {0}")]
    Unavailable(StoreOutage),
    /// A row cannot be read (table, key and what is wrong with it), or what was to be written cannot be kept as it is.
    /// Nothing was written, and trying again gives the same.
    #[error("the database is damaged: {0}")]
    Inconsistent(String),
}

/// The one write path, and the loading of what `handle` works on.
///
/// Contract: a commit is durable when the future returns (also after loss of power); all or nothing; commits of
/// one workspace are ordered by `expected_seq`; one of an older epoch than the workspace's row has is
/// [`CommitError::NotOwner`], whatever its `expected_seq`; dropping the future leaves a whole commit or none. A workspace is a wall: what is found by
/// an id is found in its own workspace only, and a commit changes rows of its own workspace only.
///
/// ```
/// # use entracte_application::samples;
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use entracte_application::ports::{Commit, CommitError, MockWorkspaceStore, Store};
///
/// // A store compares what a commit expects with what it has; `WorkspaceCommit::check` does it for those without SQL.
/// let mut store = MockWorkspaceStore::new();
/// let stored = samples::commit().workspace;
/// store.expect_commit().returning(move |commit| commit.check(Some(&stored)));
///
/// let next = Commit { expected_seq: Some(0), ..samples::commit() };
/// store.commit(next).await?;
/// let late = samples::commit();
/// let refused = store.commit(late).await;
/// assert!(
///     matches!(refused, Err(CommitError::Conflict(text)) if text.ends_with("(expected none, found 0)"))
/// );
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// The methods that read fail with [`StoreError::Unavailable`] when the store cannot be asked now; the runtime asks
/// again. They fail with [`StoreError::Inconsistent`] when a row of it cannot be read; the runtime takes that for
/// damage and does not ask again. What is not there is no error.
///
/// # Cancel safety
/// A future of [`commit`](Self::commit) that is dropped leaves a whole commit or none, and nobody is told which:
/// whoever drops it reads again before it decides again. The runtime drops none while it goes on. Readings change
/// nothing.
#[cfg_attr(any(test, feature = "test-helpers"), mockall::automock)]
#[async_trait]
pub trait WorkspaceStore: Send + Sync {
    /// Writes one commit.
    ///
    /// # Errors
    /// [`CommitError::Conflict`] when another writer was faster, so that loading again and deciding again can help;
    /// [`CommitError::NotOwner`] when it never can; [`CommitError::WorkspaceStore`] when the commit is wrong in itself
    /// ([`StoreError::Inconsistent`]), or nothing can be written now ([`StoreError::Unavailable`]).
    async fn commit(&self, commit: WorkspaceCommit) -> Result<(), CommitError>;

    /// A workspace's row; none when it was never committed to.
    async fn workspace(&self, key: &WorkspaceKey) -> Result<Option<WorkspaceRow>, StoreError>;

    /// All workspaces, by key.
    async fn workspaces(&self) -> Result<Vec<WorkspaceRow>, StoreError>;

    /// A session's row; none when this workspace has no such session.
    async fn session(
        &self,
        workspace: &WorkspaceKey,
        id: &SessionId,
    ) -> Result<Option<SessionRow>, StoreError>;

    /// Whether a session of any workspace has this id. Ids are unique in a store, so a new session gets none that is
    /// taken; nothing else is told of the one that has it.
    async fn session_id_exists(&self, id: &SessionId) -> Result<bool, StoreError>;

    /// The receipts of a workspace under these keys, in their order; old ones too, until a commit forgets them.
    async fn receipts(
        &self,
        workspace: &WorkspaceKey,
        keys: &[ReceiptKey],
    ) -> Result<Vec<ReceiptRow>, StoreError>;

    /// The sessions of a workspace that hold or want a slot.
    async fn sessions_with_slot_demand(
        &self,
        workspace: &WorkspaceKey,
    ) -> Result<Vec<SessionRow>, StoreError>;

    /// The sessions of all workspaces that a starting process must look at ([`SessionRow::is_due`]).
    async fn due(&self, now: Timestamp) -> Result<Vec<(WorkspaceKey, SessionId)>, StoreError>;

    /// Those of them that are of one workspace. Asked whenever it wakes, so it must not cost more with many
    /// workspaces.
    async fn due_sessions_in(
        &self,
        workspace: &WorkspaceKey,
        now: Timestamp,
    ) -> Result<Vec<SessionId>, StoreError>;

    /// The earliest `wake_at` of a workspace's sessions.
    async fn next_wake(&self, workspace: &WorkspaceKey) -> Result<Option<Timestamp>, StoreError>;

    /// The workspaces with a `wake_at` that is not after `now`, and the earliest one after it of all workspaces. Asked
    /// again and again by the one timer of a process, so it must not read what is not due.
    async fn wake_schedule(&self, now: Timestamp) -> Result<WakeSchedule, StoreError>;

    /// The workspaces with a placed session that waits for this, each once, by key.
    async fn waiting(&self, what: WaitCondition) -> Result<Vec<WorkspaceKey>, StoreError>;

    /// Tries whether anything can be written: as a commit would be, and nobody can tell afterwards. A store that is always
    /// writable need not try.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] when nothing can be written now, with what hinders it; a later try may succeed.
    async fn check_writable(&self) -> Result<(), StoreError> {
        Ok(())
    }

    /// Whether a write has been under way for so long that the store counts as one that cannot be written now. Asks nothing.
    fn is_stalled(&self) -> bool {
        false
    }
}
