use async_trait::async_trait;
use entracte_domain::time::Timestamp;

use super::StoreError;

/// Why a process does not own a store.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OwnershipError {
    /// Another owner has the store now.
    #[error("{store} is owned by {holder}")]
    Owned {
        /// The name of the store.
        store: String,
        /// A description of its owner, as precise as known.
        holder: String,
    },
    /// The ownership was lost to another owner.
    #[error("ownership of {store} (epoch {epoch}) is lost: {now}")]
    Lost {
        /// The name of the store.
        store: String,
        /// The epoch that ended.
        epoch: u64,
        /// A description of the new owner, as precise as known.
        now: String,
    },
    /// The ownership cannot be determined now.
    #[error("the owner of the database cannot be determined: {0}")]
    Store(#[from] StoreError),
}

/// The description an owner stores when it acquires a store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnerDescription {
    /// `serve`, `chat`, `watch`, or `command` for a short-lived command.
    pub kind: String,
    /// The name of its machine, if known.
    pub host: Option<String>,
    /// Its HTTP address, if it serves HTTP.
    pub url: Option<String>,
}

impl Default for OwnerDescription {
    fn default() -> Self {
        Self { kind: "command".into(), host: None, url: None }
    }
}

/// The stored record of the last owner. The row outlives the owner's process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnershipRecord {
    /// The epoch of the last owner.
    pub epoch: u64,
    /// The description the owner gave.
    pub kind: OwnerDescription,
    /// The process id on its machine.
    pub pid: Option<u32>,
    /// When it acquired the store.
    pub since: Timestamp,
    /// A description of the process that requested the release; `None` if there is no request.
    pub wanted_by: Option<String>,
}

/// The exclusive right to handle the events of a store: one owner at a time.
///
/// Contract: [`acquire`](Self::acquire) fails while another owner exists, and assigns epochs: each is higher than
/// every earlier one, however a process ended. A dead owner owns nothing. A commit carries the epoch of its owner, and
/// the store refuses an epoch older than the last that wrote to the workspace
/// ([`CommitError::NotOwner`](super::CommitError::NotOwner)); this fences writes, but not what is sent to others. So
/// an owner sends nothing unless it recently verified its ownership with [`renew`](Self::renew).
///
/// [`InProcessOwnership`](super::InProcessOwnership) is an implementation for stores used by one process.
///
/// ```
/// # use entracte_application::samples::example::*;
/// # example(async {
/// use entracte_application::ports::{InProcessOwnership, Ownership, OwnershipError};
/// use entracte_domain::time::Timestamp;
///
/// let store = InProcessOwnership::default();
/// let first = store.acquire(Timestamp(0)).await?;
/// assert!(matches!(store.acquire(Timestamp(1)).await, Err(OwnershipError::Owned { .. })));
/// store.release(first);
/// let second = store.acquire(Timestamp(2)).await?;
/// assert!(second > first);
/// assert!(matches!(store.renew(first).await, Err(OwnershipError::Lost { .. })));
/// # Ok(()) });
/// ```
///
/// # Cancel safety
/// An [`acquire`](Self::acquire) that is dropped holds nothing, or its ownership ends with the dropped result; at most
/// an epoch was skipped. All other methods leave nothing behind.
#[cfg_attr(any(test, feature = "test-helpers"), mockall::automock)]
#[async_trait]
pub trait Ownership: Send + Sync {
    /// Acquires the store, or reports its owner; never waits for another owner. Returns the epoch, from 1.
    ///
    /// # Errors
    /// [`OwnershipError::Owned`] while another owner exists: nothing was acquired, and a later attempt may succeed.
    /// [`OwnershipError::Store`] when ownership cannot be determined or the epoch cannot be incremented now: nothing
    /// is held then, at most an epoch was skipped. Never [`OwnershipError::Lost`].
    async fn acquire(&self, now: Timestamp) -> Result<u64, OwnershipError>;

    /// Checks at the source whether this epoch still owns the store.
    ///
    /// # Errors
    /// [`OwnershipError::Lost`] when another owner has it or it was released: this is final, and the runtime ends.
    /// [`OwnershipError::Store`] when this cannot be determined now: the runtime sends nothing meanwhile, and retries.
    async fn renew(&self, epoch: u64) -> Result<(), OwnershipError>;

    /// Releases the ownership immediately; does nothing for an epoch that has ended.
    fn release(&self, epoch: u64);

    /// The last owner; `None` if there never was one, or if the store does not record it.
    ///
    /// # Errors
    /// When the row cannot be read now ([`StoreError`]). The record is informational only.
    async fn holder(&self) -> Result<Option<OwnershipRecord>, StoreError> {
        Ok(None)
    }

    /// Requests the current owner to release the store, with a description of the requester. A new owner clears the
    /// request.
    ///
    /// # Errors
    /// When the request cannot be stored now ([`StoreError`]); it is idempotent and may be retried.
    async fn request_release(&self, _by: &str) -> Result<(), StoreError> {
        Ok(())
    }
}
