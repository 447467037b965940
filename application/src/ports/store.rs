use async_trait::async_trait;
use entracte_domain::command::CommandKind;
use entracte_domain::id::{AutomationId, CallId, Digest, RoundAttempt, SessionId, WorkspaceKey};
use entracte_domain::ledger_state::LedgerState;
use entracte_domain::session::{EndReason, PhaseLabel, SessionKind, Standing};
use entracte_domain::time::Timestamp;

use super::{
    AttemptCostRow, AutomationRow, BuiltinChangeKind, ChangeKind, FileUseRow, InboxRow, MailId,
    OccurrenceRow, ReceiptRow, ResourceChange, RetentionRows, StoreOutage, TaskArrivalRow, TaskRow,
    TriageChange,
};
use crate::instructions::InstructionVersion;
use crate::mail::ReceiptKey;

/// The stored row of a workspace.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "rows-serde", derive(serde::Serialize, serde::Deserialize))]
pub struct WorkspaceRow {
    /// Unique key of the workspace.
    #[cfg_attr(feature = "rows-serde", serde(with = "super::serde_rows"))]
    pub key: WorkspaceKey,
    /// The number of its last log entry; the durable cursor of every stream.
    pub seq: u64,
    /// The settings and other state, encoded.
    pub body: Vec<u8>,
    /// When it was created.
    #[cfg_attr(feature = "rows-serde", serde(with = "super::serde_rows"))]
    pub created_at: Timestamp,
    /// The epoch of the owner that last wrote it ([`Ownership`](super::Ownership)).
    pub epoch: u64,
}

/// The stored row of a session: a snapshot equal to the replay of its entries, and the columns that lists need.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "rows-serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SessionRow {
    /// Unique id of the session.
    #[cfg_attr(feature = "rows-serde", serde(with = "super::serde_rows"))]
    pub id: SessionId,
    /// The workspace the session belongs to.
    #[cfg_attr(feature = "rows-serde", serde(with = "super::serde_rows"))]
    pub workspace: WorkspaceKey,
    /// The session kind.
    #[cfg_attr(feature = "rows-serde", serde(with = "super::serde_rows"))]
    pub kind: SessionKind,
    /// Display name.
    pub name: String,
    /// Its standing.
    #[cfg_attr(feature = "rows-serde", serde(with = "super::serde_rows"))]
    pub standing: Standing,
    /// The label of its phase.
    #[cfg_attr(feature = "rows-serde", serde(with = "super::serde_rows"))]
    pub phase: PhaseLabel,
    /// The number of its inputs; the version for compare-and-swap.
    pub sequence: u64,
    /// Whether it holds or needs a slot, so that placement must consider it.
    pub placed: bool,
    /// Whether work is under way or should be, so that a starting process must examine it.
    pub working: bool,
    /// Whether it waits for a person, so that the inbox shows it.
    pub waiting: bool,
    /// The earliest deadline of its state.
    #[cfg_attr(feature = "rows-serde", serde(with = "super::serde_rows"))]
    pub wake_at: Option<Timestamp>,
    /// The end reason, once it has ended.
    #[cfg_attr(feature = "rows-serde", serde(with = "super::serde_rows"))]
    pub end_reason: Option<EndReason>,
    /// When it was created.
    #[cfg_attr(feature = "rows-serde", serde(with = "super::serde_rows"))]
    pub created_at: Timestamp,
    /// When its last input arrived.
    #[cfg_attr(feature = "rows-serde", serde(with = "super::serde_rows"))]
    pub last_activity: Timestamp,
    /// The encoded facts and phase.
    pub body: Vec<u8>,
}

/// One entry of a workspace's log: an input of one session, and the records it appended.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "rows-serde", derive(serde::Serialize, serde::Deserialize))]
pub struct LogRow {
    /// The number in the workspace, from 1; only deleted sessions leave gaps.
    pub seq: u64,
    /// The session that received the input.
    #[cfg_attr(feature = "rows-serde", serde(with = "super::serde_rows"))]
    pub session: SessionId,
    /// The session's sequence after the input.
    pub sequence: u64,
    /// When the input was applied.
    #[cfg_attr(feature = "rows-serde", serde(with = "super::serde_rows"))]
    pub at: Timestamp,
    /// The name of the input.
    pub label: String,
    /// The client's idempotency key of a user message; unique within its session.
    pub client_key: Option<String>,
    /// The encoded [`JournalEntry`](crate::journal::JournalEntry).
    pub body: Vec<u8>,
}

/// A row of the call ledger.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "rows-serde", derive(serde::Serialize, serde::Deserialize))]
pub struct CallRow {
    /// Unique id of the call.
    #[cfg_attr(feature = "rows-serde", serde(with = "super::serde_rows"))]
    pub id: CallId,
    /// The session that requested the call.
    #[cfg_attr(feature = "rows-serde", serde(with = "super::serde_rows"))]
    pub session: SessionId,
    /// The session's sequence of the input that requested it.
    pub sequence: u64,
    /// Its index in the reply.
    pub ordinal: u32,
    /// The name of the command.
    pub command: String,
    /// The hash of the command's canonical bytes.
    #[cfg_attr(feature = "rows-serde", serde(with = "super::serde_rows"))]
    pub command_id: Digest,
    /// The command kind.
    #[cfg_attr(feature = "rows-serde", serde(with = "super::serde_rows"))]
    pub kind: CommandKind,
    /// Its state.
    #[cfg_attr(feature = "rows-serde", serde(with = "super::serde_rows"))]
    pub state: LedgerState,
    /// How often it was started.
    pub attempt: u32,
    /// The exchange it belongs to: the session's sequence of the human act that began it.
    pub exchange: u64,
    /// When it was requested.
    #[cfg_attr(feature = "rows-serde", serde(with = "super::serde_rows"))]
    pub requested_at: Timestamp,
    /// When it got its result.
    #[cfg_attr(feature = "rows-serde", serde(with = "super::serde_rows"))]
    pub finished_at: Option<Timestamp>,
    /// The log number of the entry that contains its result.
    pub result_seq: Option<u64>,
    /// The encoded call.
    pub body: Vec<u8>,
}

/// Bytes stored once under their hash: prompt prefixes, rules.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "rows-serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ContentBlob {
    /// The SHA-256 in hexadecimal.
    #[cfg_attr(feature = "rows-serde", serde(with = "super::serde_rows"))]
    pub digest: Digest,
    /// The stored content.
    pub bytes: Vec<u8>,
}

/// The record of a session that a person or the retention policy deleted.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "rows-serde", derive(serde::Serialize, serde::Deserialize))]
pub struct DeletionRow {
    /// The session; its id may have been reused since.
    #[cfg_attr(feature = "rows-serde", serde(with = "super::serde_rows"))]
    pub session: SessionId,
    /// When it was deleted.
    #[cfg_attr(feature = "rows-serde", serde(with = "super::serde_rows"))]
    pub at: Timestamp,
    /// The person who deleted it, or [`POLICY_AUTHOR`](Self::POLICY_AUTHOR).
    pub author: String,
    /// The encoded record of what was open in it.
    pub body: Vec<u8>,
}

impl DeletionRow {
    /// The author of deletions by the retention policy. No person is added under this name, because of its brackets.
    pub const POLICY_AUTHOR: &'static str = "(retention)";

    /// Whether the retention policy deleted the session, and no person did.
    pub fn is_by_policy(&self) -> bool {
        self.author == Self::POLICY_AUTHOR
    }
}

/// All changes of one workspace turn, as plain data; written atomically.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "rows-serde", derive(serde::Serialize, serde::Deserialize))]
pub struct WorkspaceCommit {
    /// The new row of the workspace, with the epoch of the committing owner.
    pub workspace: WorkspaceRow,
    /// The previous `seq`; `None` for a new row. A different stored value is a conflict.
    pub expected_seq: Option<u64>,
    /// Changed session rows, each with its previous sequence (`None` if new).
    pub sessions: Vec<(SessionRow, Option<u64>)>,
    /// New log entries.
    pub log: Vec<LogRow>,
    /// New or changed ledger rows.
    pub calls: Vec<CallRow>,
    /// Changes of the workspace's own data.
    pub resources: Vec<ResourceChange>,
    /// Blobs to store; blobs stored already stay unchanged.
    pub blobs: Vec<ContentBlob>,
    /// The frozen prefixes that new entries name, by hash, each with its session. A store may delete the blob of a prefix
    /// with the last session that names it, and no other blob. One that a new generation names is among `blobs`; one that
    /// a copied entry names may be missing, as it is in its original.
    #[cfg_attr(feature = "rows-serde", serde(with = "super::serde_rows"))]
    pub prefixes: Vec<(SessionId, Digest)>,
    /// Answers to the mail that this commit processed.
    pub answers: Vec<(MailId, Vec<u8>)>,
    /// Sessions to delete with their entries and calls, each with its current sequence; another one is a conflict.
    #[cfg_attr(feature = "rows-serde", serde(with = "super::serde_rows"))]
    pub deleted: Vec<(SessionId, u64)>,
    /// Changed automations, each with its previous revision (`None` if new); another one is a conflict.
    pub automations: Vec<(AutomationRow, Option<u64>)>,
    /// Newly decided occurrences; one that exists already is a conflict.
    pub occurrences: Vec<OccurrenceRow>,
    /// Automations to delete, each with its current revision. Their occurrences and runs are preserved.
    #[cfg_attr(feature = "rows-serde", serde(with = "super::serde_rows"))]
    pub deleted_automations: Vec<(AutomationId, u64)>,
    /// Records of deleted sessions, each with the number of latest records of the workspace to retain; 0 = all.
    pub deletions: Vec<(DeletionRow, u32)>,
    /// Receipts of executed requests, each with the instant before which the workspace's receipts are deleted; an
    /// existing receipt under the same key that is not deleted is a conflict.
    #[cfg_attr(feature = "rows-serde", serde(with = "super::serde_rows"))]
    pub receipts: Vec<(ReceiptRow, Timestamp)>,
    /// The hashes of this workspace's links that its decisions use up, and when; used or missing links stay unchanged.
    /// A store without links ([`OutboxStore`](super::OutboxStore)) ignores them.
    #[cfg_attr(feature = "rows-serde", serde(with = "super::serde_rows"))]
    pub spent_links: Vec<(Digest, Timestamp)>,
    /// Changes outside of session logs. Their numbers follow those of the log. Each has the number of latest changes
    /// of the workspace to retain; 0 = all.
    pub changes: Vec<(ResourceChangeRow, u32)>,
    /// New versions of instructions, each with the number of latest versions of its scope to retain; 0 = all. A
    /// version that does not follow the latest is a conflict. The instructions of sessions and automations that this
    /// commit deletes are deleted too.
    pub instructions: Vec<(InstructionVersion, u32)>,
    /// New or changed long tasks. The tasks of sessions that this commit deletes are deleted too.
    pub tasks: Vec<TaskRow>,
    /// New arrivals of tasks; an arrival with the same sender's id is a conflict.
    pub arrivals: Vec<TaskArrivalRow>,
    /// Attempts of model calls of these sessions, each at most once; a stored one takes over what its reply brought
    /// only: usage and commands. Commands that are empty leave the stored ones. The reservation of a stored one is settled
    /// by a known usage, and uncertain after an unknown one. Those of sessions that this commit deletes are deleted too,
    /// unless `retention` keeps them.
    pub costs: Vec<AttemptCostRow>,
    /// Attempts to delete, because their requests were not sent; missing ones are no error.
    #[cfg_attr(feature = "rows-serde", serde(with = "super::serde_rows"))]
    pub withdrawn_costs: Vec<(SessionId, RoundAttempt)>,
    /// What goes by the retention policy.
    pub retention: RetentionRows,
    /// What people note about inbox items, in order. Rows of sessions that this commit deletes are deleted too.
    pub triage: Vec<TriageChange>,
    /// What waits for a person in the sessions of this commit, in place of what waited there. A store that has an item
    /// already keeps since when it waits. A store without such rows ([`inbox_rows`](super::LogReader::inbox_rows)) ignores them.
    pub inbox: Vec<InboxRow>,
    /// The files that new entries name, each with its session. A file goes with the last session that names it. One that
    /// a copied entry names may be missing and is not noted. A store without files ([`FileStore`](super::FileStore))
    /// ignores them.
    pub files: Vec<FileUseRow>,
}

impl WorkspaceCommit {
    /// A commit that only creates the row of a new workspace.
    pub fn for_workspace(workspace: WorkspaceRow) -> Self {
        Self {
            workspace,
            expected_seq: None,
            sessions: Vec::new(),
            log: Vec::new(),
            calls: Vec::new(),
            resources: Vec::new(),
            blobs: Vec::new(),
            prefixes: Vec::new(),
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
            costs: Vec::new(),
            withdrawn_costs: Vec::new(),
            retention: RetentionRows::default(),
            triage: Vec::new(),
            inbox: Vec::new(),
            files: Vec::new(),
        }
    }
}

/// A change of a workspace outside of session logs: settings, rules, data, automations, instructions, or deleted
/// sessions.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "rows-serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ResourceChangeRow {
    /// The number in the workspace, in one sequence with log entries.
    pub seq: u64,
    /// The kind of the changed object.
    #[cfg_attr(feature = "rows-serde", serde(with = "super::serde_rows"))]
    pub kind: ChangeKind,
    /// The id of the object, or the key of a setting.
    pub id: String,
    /// The new version, if the object has versions.
    pub revision: Option<u64>,
    /// Whether the object was deleted.
    pub gone: bool,
}

impl ResourceChangeRow {
    /// Creates the marker row that replaces deleted older changes and has the number of the latest of them.
    pub fn pruned_marker(seq: u64) -> Self {
        Self { seq, kind: BuiltinChangeKind::Pruned.into(), id: String::new(), revision: None, gone: false }
    }
}

/// The workspaces with due work, and the next instant at which work is due.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WakeSchedule {
    /// The workspaces with due work, by key, without duplicates.
    pub due: Vec<WorkspaceKey>,
    /// The earliest instant after the requested one; `None` if nothing is scheduled.
    pub next: Option<Timestamp>,
}

/// A condition without a deadline that a session may wait for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaitCondition {
    /// A slot: the session is queued or suspended.
    Slot,
    /// The network: the session may continue before its deadline.
    Network,
}

entracte_domain::words! {
    /// How much space is given back at once.
    pub enum ReclaimExtent {
        /// A part, in a moment, while sessions work.
        Part = "part",
        /// All of it. Commits may wait.
        Everything = "everything",
    }
}

/// The space that was given back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReclaimedSpace {
    /// The bytes by which the database became smaller.
    pub bytes: u64,
    /// Whether there is more to give back.
    pub is_more: bool,
}

/// Why a commit failed, or is not known to have succeeded.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CommitError {
    /// A row has another version than expected. Nothing was written; reload and decide again.
    #[error("{0} was changed by another writer")]
    Conflict(String),
    /// An owner of a later epoch wrote the workspace: this process no longer owns the store. Nothing was written, and
    /// no later commit of this process will be.
    #[error("{0}; another process owns the database now")]
    NotOwner(String),
    /// The store failed. With [`StoreError::Inconsistent`] nothing was written. With [`StoreError::Unavailable`] the
    /// result is unknown: usually nothing was written, but a server that was lost during a commit may have written it.
    /// Repeating the same commit is harmless: if the first one was written, the second is a conflict.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Why a store could not read or write.
///
/// An operation of a store takes effect whole or not at all, also when it fails.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The store cannot be reached, opened or written (disk full, read-only, locked, gone). The condition is
    /// temporary, so a later retry makes sense. Nothing was written, unless a server was lost during the write: then
    /// the data may exist. So a retry must use the same id, version or key.
    #[error("the database cannot be used: {0}")]
    Unavailable(StoreOutage),
    /// A row cannot be read (with table, key and the reason), or the data to be written is not storable. Nothing was
    /// written, and a retry gives the same error.
    #[error("the database is damaged: {0}")]
    Inconsistent(String),
}

/// The single write path, and the reads that `handle` needs.
///
/// Contract: a commit is durable when the future returns (also after loss of power) and atomic; the commits of one
/// workspace are ordered by `expected_seq`; a commit with an older epoch than the workspace's row is
/// [`CommitError::NotOwner`], whatever its `expected_seq`; dropping the future leaves a whole commit or none.
/// Workspaces are isolated: a lookup by id only finds rows of its own workspace, and a commit only changes rows of its
/// own workspace.
///
/// ```
/// # use entracte_application::samples;
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use entracte_application::ports::{CommitError, MockWorkspaceStore, WorkspaceCommit, WorkspaceStore};
///
/// // `WorkspaceCommit::check` compares the expectations of a commit with the rows of a store.
/// let mut store = MockWorkspaceStore::new();
/// let stored = samples::commit().workspace;
/// store.expect_commit().returning(move |commit| commit.check(Some(&stored)));
///
/// let next = WorkspaceCommit { expected_seq: Some(0), ..samples::commit() };
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
/// Reads fail with [`StoreError::Unavailable`] when the store cannot be queried now; the runtime retries them. They
/// fail with [`StoreError::Inconsistent`] when a row cannot be read; the runtime treats that as damage and does not
/// retry. A missing row is not an error.
///
/// # Cancel safety
/// A dropped future of [`commit`](Self::commit) leaves a whole commit or none, and does not report which: the caller
/// must reload before it decides again. The runtime drops none while it runs. Reads change nothing.
#[cfg_attr(any(test, feature = "test-helpers"), mockall::automock)]
#[async_trait]
pub trait WorkspaceStore: Send + Sync {
    /// Writes one commit.
    ///
    /// # Errors
    /// [`CommitError::Conflict`] when another writer was faster, so that reloading and deciding again can succeed;
    /// [`CommitError::NotOwner`] when no retry can succeed; [`CommitError::Store`] when the commit is inconsistent in
    /// itself ([`StoreError::Inconsistent`]), or nothing can be written now ([`StoreError::Unavailable`]).
    async fn commit(&self, commit: WorkspaceCommit) -> Result<(), CommitError>;

    /// A workspace's row; `None` if it was never committed to.
    async fn workspace(&self, key: &WorkspaceKey) -> Result<Option<WorkspaceRow>, StoreError>;

    /// All workspaces, by key.
    async fn workspaces(&self) -> Result<Vec<WorkspaceRow>, StoreError>;

    /// A session's row; `None` if this workspace has no such session.
    async fn session(
        &self,
        workspace: &WorkspaceKey,
        id: &SessionId,
    ) -> Result<Option<SessionRow>, StoreError>;

    /// Whether a session of any workspace has this id. Ids are unique in a store, so a new session must not get a used
    /// one; nothing else about the other session is revealed.
    async fn session_id_exists(&self, id: &SessionId) -> Result<bool, StoreError>;

    /// The receipts of a workspace under these keys, in their order, including old ones until a commit deletes them.
    async fn receipts(
        &self,
        workspace: &WorkspaceKey,
        keys: &[ReceiptKey],
    ) -> Result<Vec<ReceiptRow>, StoreError>;

    /// The sessions of a workspace that hold or need a slot.
    async fn sessions_with_slot_demand(
        &self,
        workspace: &WorkspaceKey,
    ) -> Result<Vec<SessionRow>, StoreError>;

    /// The sessions of all workspaces that a starting process must examine ([`SessionRow::is_due`]).
    async fn due(&self, now: Timestamp) -> Result<Vec<(WorkspaceKey, SessionId)>, StoreError>;

    /// The sessions of one workspace that are due in the same sense. Called whenever the workspace wakes, so its cost
    /// must not grow with the number of workspaces.
    async fn due_sessions_in(
        &self,
        workspace: &WorkspaceKey,
        now: Timestamp,
    ) -> Result<Vec<SessionId>, StoreError>;

    /// The earliest `wake_at` of a workspace's sessions.
    async fn next_wake(&self, workspace: &WorkspaceKey) -> Result<Option<Timestamp>, StoreError>;

    /// The workspaces with a `wake_at` that is not after `now`, and the earliest later one of all workspaces. Polled
    /// by the one timer of a process, so it must not read rows that are not due.
    async fn wake_schedule(&self, now: Timestamp) -> Result<WakeSchedule, StoreError>;

    /// The workspaces with a placed session that waits for `what`, by key, without duplicates.
    async fn waiting(&self, what: WaitCondition) -> Result<Vec<WorkspaceKey>, StoreError>;

    /// Tests whether a commit could be written, leaving no trace. A store that is always writable need not test.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] with the cause when nothing can be written now; a later attempt may succeed.
    async fn check_writable(&self) -> Result<(), StoreError> {
        Ok(())
    }

    /// Gives space of deleted rows back to the file system or to later rows. Changes no row. A store that needs no such
    /// thing does nothing.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] when nothing can be written now; a later attempt may succeed.
    async fn reclaim_space(&self, _extent: ReclaimExtent) -> Result<ReclaimedSpace, StoreError> {
        Ok(ReclaimedSpace::default())
    }

    /// Whether a write has been running so long that the store counts as unwritable. Does no I/O.
    fn is_stalled(&self) -> bool {
        false
    }
}
