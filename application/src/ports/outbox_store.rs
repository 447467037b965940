//! Who is to be told, what of, and the links that go with it.

use async_trait::async_trait;
use entracte_domain::id::{ApprovalId, Digest, SessionId, WorkspaceKey};
use entracte_domain::time::Timestamp;

use super::{ReceiptRow, StoreError};

/// A target's row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TargetRow {
    /// `tgt_…`.
    pub id: String,
    /// Where it lives; its row need not be there yet.
    pub workspace: WorkspaceKey,
    /// Its name, one target's in its workspace.
    pub name: String,
    /// Why it is told nothing more; none while it is.
    pub disabled: Option<String>,
    /// Number of the last entry of the workspace's log that was looked at for it. Entries after it must stay.
    pub cursor: u64,
    /// When what is in no log was looked at for it last: occurrences, standing approvals.
    pub looked_at: Timestamp,
    /// Counts its changes; the version for compare-and-swap.
    pub revision: u64,
    /// When it was added.
    pub created_at: Timestamp,
    /// The target, encoded.
    pub body: Vec<u8>,
}

entracte_domain::words! {
    /// What became of a notification.
    pub enum OutboxState {
        /// It is to be sent.
        Pending = "pending",
        /// It was taken.
        Sent = "sent",
        /// It was tried for as long as it is.
        Dead = "dead",
        /// It was settled before anybody was told.
        Dropped = "dropped",
    }
}

/// One thing that one target is told. There is at most one for a target and an item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutboxRow {
    /// `ntf_…`.
    pub id: String,
    /// Where the target lives.
    pub workspace: WorkspaceKey,
    /// The target.
    pub target: String,
    /// What it is told of: `apr_…@<digest>`, `question:ses_…`, …
    pub item: String,
    /// The word of its kind.
    pub kind: String,
    /// The session it is about.
    pub session: Option<SessionId>,
    /// The message that it goes in: its own id, or that of several together. None before the first try.
    pub message: Option<String>,
    /// When it was written down.
    pub created_at: Timestamp,
    /// When it is tried next.
    pub due_at: Timestamp,
    /// When it was tried first.
    pub tried_at: Option<Timestamp>,
    /// How often it was tried.
    pub attempts: u32,
    /// What became of it.
    pub state: OutboxState,
    /// Why the last try failed.
    pub error: Option<String>,
}

/// A link to one card. Of its secret only the hash is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkRow {
    /// SHA-256 of what stands in the link.
    pub hash: Digest,
    /// Where.
    pub workspace: WorkspaceKey,
    /// The target that it was sent to.
    pub target: String,
    /// Whom a decision by it is by.
    pub person: String,
    /// Whoever has it is that person; else they have to be logged in as well.
    pub is_private: bool,
    /// The session.
    pub session: SessionId,
    /// The approval.
    pub approval: ApprovalId,
    /// What was on its card.
    pub digest: Digest,
    /// When it was made.
    pub created_at: Timestamp,
    /// From when on it counts no more.
    pub expires_at: Timestamp,
    /// When a decision spent it.
    pub used_at: Option<Timestamp>,
}

/// What one step of the notifier writes, all of it or nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OutboxWriteBatch {
    /// Targets, each with how far was looked for it: the number of an entry, an instant.
    pub moved: Vec<(String, u64, Timestamp)>,
    /// What is new. Left out where the target has that item already, or is gone.
    pub new: Vec<OutboxRow>,
    /// Rows as they are now, by id; one that is gone stays gone.
    pub changed: Vec<OutboxRow>,
    /// Targets that are told nothing more, and why.
    pub disabled: Vec<(String, String)>,
    /// Links that go out.
    pub links: Vec<LinkRow>,
    /// Rows that are pending no more, and links, that are older are forgotten.
    pub forget_before: Option<Timestamp>,
}

impl OutboxWriteBatch {
    /// Whether there is nothing to write.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// What came of adding a target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AddTargetOutcome {
    /// It is there.
    Added,
    /// Another one of the workspace has that name.
    NameTaken,
    /// The workspace has as many as it may.
    Full,
    /// It was asked for before under its key; this is kept of that, and nothing was added.
    Before(ReceiptRow),
}

/// Keeps targets, notifications and links. Any process may write them, also beside the owner: no session depends on them.
/// Only a decision spends a link, in its own commit ([`Commit::spent_links`](super::Commit::spent_links)).
///
/// ```
/// use std::sync::Arc;
///
/// use entracte_application::ports::{OutboxStore, StoreError};
/// use entracte_domain::id::WorkspaceKey;
///
/// /// How many targets of a workspace are still told.
/// async fn open(outbox: Arc<dyn OutboxStore>, workspace: WorkspaceKey) -> Result<usize, StoreError> {
///     let targets = outbox.targets(Some(workspace)).await?;
///     Ok(targets.iter().filter(|target| target.disabled.is_none()).count())
/// }
/// ```
///
/// # Errors
/// [`StoreError::Unavailable`] when the store cannot be used now, [`StoreError::Inconsistent`] when a row of it
/// cannot be read or what is to be kept breaks a rule of it. What is not there is no error: it is none, an empty
/// list, `false` or 0. What writes has written nothing then, unless a server was lost in the middle of it: asked
/// again with the same ids, it finds what is there already.
///
/// # Cancel safety
/// A method that writes and is dropped has written all of it or nothing; readings leave nothing behind.
#[cfg_attr(any(test, feature = "test-helpers"), mockall::automock)]
#[async_trait]
pub trait OutboxStore: Send + Sync {
    /// Adds a target, unless its workspace has `most` of them.
    async fn add_target(&self, row: TargetRow, most: u32) -> Result<AddTargetOutcome, StoreError>;

    /// Adds a target as [`OutboxStore::add_target`] does, with a receipt in its workspace; receipts that were made there before
    /// `before` are forgotten with it. Where one is kept under that key, it gives that one and adds nothing.
    async fn add_target_once(
        &self,
        row: TargetRow,
        most: u32,
        receipt: ReceiptRow,
        before: Timestamp,
    ) -> Result<AddTargetOutcome, StoreError>;

    /// The targets of a workspace, or all of them, by workspace and name.
    async fn targets(&self, workspace: Option<WorkspaceKey>) -> Result<Vec<TargetRow>, StoreError>;

    /// Puts body and `disabled` of a target in the place of those of the revision before it; gives whether it was there.
    async fn change_target(&self, row: TargetRow) -> Result<bool, StoreError>;

    /// Removes a target with its notifications and links; gives whether there was one.
    async fn remove_target(&self, workspace: &WorkspaceKey, id: &str) -> Result<bool, StoreError>;

    /// Writes what a step came to.
    async fn write(&self, write: OutboxWriteBatch) -> Result<(), StoreError>;

    /// What is pending and due, the longest due first, at most `limit`.
    async fn due(&self, now: Timestamp, limit: u32) -> Result<Vec<OutboxRow>, StoreError>;

    /// The latest notifications of a workspace, the latest first, at most `limit`.
    async fn notifications(&self, workspace: &WorkspaceKey, limit: u32)
    -> Result<Vec<OutboxRow>, StoreError>;

    /// The link of a hash, spent and expired ones too.
    async fn link(&self, hash: &Digest) -> Result<Option<LinkRow>, StoreError>;
}
