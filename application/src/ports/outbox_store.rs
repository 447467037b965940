//! Notification targets, their outbox of notifications, and the links to approval cards.

use async_trait::async_trait;
use entracte_domain::id::{ApprovalId, Digest, SessionId, WorkspaceKey};
use entracte_domain::time::Timestamp;

use super::{ReceiptRow, StoreError};

/// The stored row of a notification target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TargetRow {
    /// `tgt_…`.
    pub id: String,
    /// The workspace the target belongs to; its row need not exist yet.
    pub workspace: WorkspaceKey,
    /// The name, unique within its workspace.
    pub name: String,
    /// Why the target gets no more notifications; `None` while it is enabled.
    pub disabled: Option<String>,
    /// The number of the last log entry of the workspace that was examined for this target. Later entries must not be
    /// deleted.
    pub cursor: u64,
    /// When occurrences and standing approvals, which are in no log, were last examined for this target.
    pub looked_at: Timestamp,
    /// The number of its changes; the version for compare-and-swap.
    pub revision: u64,
    /// When it was added.
    pub created_at: Timestamp,
    /// The encoded target.
    pub body: Vec<u8>,
}

entracte_domain::words! {
    /// The delivery state of a notification.
    pub enum OutboxState {
        /// To be sent.
        Pending = "pending",
        /// Accepted by the target.
        Sent = "sent",
        /// Given up after the last attempt failed.
        Dead = "dead",
        /// Dropped unsent, because the item was settled first.
        Dropped = "dropped",
    }
}

/// One notification for one target. There is at most one per target and item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutboxRow {
    /// `ntf_…`.
    pub id: String,
    /// The workspace of the target.
    pub workspace: WorkspaceKey,
    /// The id of the target.
    pub target: String,
    /// The item it is about: `apr_…@<digest>`, `question:ses_…`, …
    pub item: String,
    /// The stored word of the item's kind.
    pub kind: String,
    /// The session it is about, if any.
    pub session: Option<SessionId>,
    /// The id of the message that delivers it: its own id, or that of a message with several. `None` before the first
    /// attempt.
    pub message: Option<String>,
    /// When it was written to the outbox.
    pub created_at: Timestamp,
    /// When it is attempted next.
    pub due_at: Timestamp,
    /// When it was first attempted.
    pub tried_at: Option<Timestamp>,
    /// Number of attempts.
    pub attempts: u32,
    /// The delivery state.
    pub state: OutboxState,
    /// Why the last attempt failed.
    pub error: Option<String>,
}

/// A link to one approval card. Only the hash of its secret is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkRow {
    /// SHA-256 of the secret in the link.
    pub hash: Digest,
    /// The workspace of the session.
    pub workspace: WorkspaceKey,
    /// The target the link was sent to.
    pub target: String,
    /// The person who decides when the link is used.
    pub person: String,
    /// Whether possession of the link authenticates that person; otherwise they must also be logged in.
    pub is_private: bool,
    /// The session of the approval.
    pub session: SessionId,
    /// The approval the link opens.
    pub approval: ApprovalId,
    /// The digest of the card that was shown.
    pub digest: Digest,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it expires.
    pub expires_at: Timestamp,
    /// When it was used up by a decision.
    pub used_at: Option<Timestamp>,
}

/// The writes of one notifier step, applied atomically.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OutboxWriteBatch {
    /// Targets with their new positions: the number of the last examined entry, and the time of the last examination.
    pub moved: Vec<(String, u64, Timestamp)>,
    /// New notifications. Those whose target has the item already or was removed are skipped.
    pub new: Vec<OutboxRow>,
    /// Changed rows, by id; deleted ones are not recreated.
    pub changed: Vec<OutboxRow>,
    /// Targets to disable, with the reason.
    pub disabled: Vec<(String, String)>,
    /// New links.
    pub links: Vec<LinkRow>,
    /// Delete links, and rows that are no longer pending, older than this.
    pub forget_before: Option<Timestamp>,
}

impl OutboxWriteBatch {
    /// Whether there is nothing to write.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// The result of adding a target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AddTargetOutcome {
    /// The target was added.
    Added,
    /// Another target of the workspace has that name.
    NameTaken,
    /// The workspace has reached its maximum number of targets.
    Full,
    /// The same request was made before under its idempotency key; this is its receipt, and nothing was added.
    Before(ReceiptRow),
}

/// Stores targets, notifications and links. Any process may write them, also beside the owner: session state does not
/// depend on them. Only a decision uses up a link, in its own commit
/// ([`WorkspaceCommit::spent_links`](super::WorkspaceCommit::spent_links)).
///
/// ```
/// use std::sync::Arc;
///
/// use entracte_application::ports::{OutboxStore, StoreError};
/// use entracte_domain::id::WorkspaceKey;
///
/// /// Counts the enabled targets of a workspace.
/// async fn open(outbox: Arc<dyn OutboxStore>, workspace: WorkspaceKey) -> Result<usize, StoreError> {
///     let targets = outbox.targets(Some(workspace)).await?;
///     Ok(targets.iter().filter(|target| target.disabled.is_none()).count())
/// }
/// ```
///
/// # Errors
/// [`StoreError::Unavailable`] when the store cannot be used now, [`StoreError::Inconsistent`] when a row cannot be
/// read or a value to be stored breaks a constraint. A missing row is not an error: the result is `None`, an empty
/// list, `false` or 0. A failed write has written nothing, unless a server was lost during it: a retry with the same
/// ids then finds the existing rows.
///
/// # Cancel safety
/// A write whose future is dropped has written everything or nothing; reads leave nothing behind.
#[cfg_attr(any(test, feature = "test-helpers"), mockall::automock)]
#[async_trait]
pub trait OutboxStore: Send + Sync {
    /// Adds a target, unless its workspace has `most` of them already.
    async fn add_target(&self, row: TargetRow, most: u32) -> Result<AddTargetOutcome, StoreError>;

    /// Adds a target like [`OutboxStore::add_target`], with a receipt in its workspace, and deletes receipts created
    /// there before `before`. If a receipt exists under that key, returns it and adds nothing.
    async fn add_target_once(
        &self,
        row: TargetRow,
        most: u32,
        receipt: ReceiptRow,
        before: Timestamp,
    ) -> Result<AddTargetOutcome, StoreError>;

    /// The targets of a workspace, or all of them, by workspace and name.
    async fn targets(&self, workspace: Option<WorkspaceKey>) -> Result<Vec<TargetRow>, StoreError>;

    /// Replaces body and `disabled` of a target at the previous revision; returns whether that revision existed.
    async fn change_target(&self, row: TargetRow) -> Result<bool, StoreError>;

    /// Removes a target with its notifications and links; returns whether it existed.
    async fn remove_target(&self, workspace: &WorkspaceKey, id: &str) -> Result<bool, StoreError>;

    /// Writes the results of a notifier step.
    async fn write(&self, write: OutboxWriteBatch) -> Result<(), StoreError>;

    /// The pending notifications that are due, longest due first, at most `limit`.
    async fn due(&self, now: Timestamp, limit: u32) -> Result<Vec<OutboxRow>, StoreError>;

    /// The latest notifications of a workspace, latest first, at most `limit`.
    async fn notifications(&self, workspace: &WorkspaceKey, limit: u32)
    -> Result<Vec<OutboxRow>, StoreError>;

    /// The link of a hash, including used and expired links.
    async fn link(&self, hash: &Digest) -> Result<Option<LinkRow>, StoreError>;
}
