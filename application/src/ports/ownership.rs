use async_trait::async_trait;
use entracte_domain::time::Timestamp;

use super::StoreError;

/// Why a process does not own a store.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OwnershipError {
    /// Another owner has it now.
    #[error("{store} is owned by {holder}")]
    Owned {
        /// The store.
        store: String,
        /// Its owner, as far as it can be told.
        holder: String,
    },
    /// It was held, and another owner took it since.
    #[error("ownership of {store} (epoch {epoch}) is lost: {now}")]
    Lost {
        /// The store.
        store: String,
        /// The epoch that is over.
        epoch: u64,
        /// What is known of who took it.
        now: String,
    },
    /// Who owns it cannot be asked now.
    #[error("the owner of the database cannot be determined: {0}")]
    Store(#[from] StoreError),
}

/// What an owner says of itself when it takes the right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnerDescription {
    /// `serve`, `chat`, `watch`, or `command` for one that is done in a moment.
    pub kind: String,
    /// The name of its machine, where that is known.
    pub host: Option<String>,
    /// Where it answers over HTTP.
    pub url: Option<String>,
}

impl Default for OwnerDescription {
    fn default() -> Self {
        Self { kind: "command".into(), host: None, url: None }
    }
}

/// Who took the right last. It may be dead: the row outlives it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnershipRecord {
    /// Its epoch.
    pub epoch: u64,
    /// What it said of itself.
    pub kind: OwnerDescription,
    /// The number of its process on its machine.
    pub pid: Option<u32>,
    /// Since when.
    pub since: Timestamp,
    /// Who asked it to give way, in words; none when nobody did.
    pub wanted_by: Option<String>,
}

/// Who handles the events of a store: one owner at a time.
///
/// Contract: [`acquire`](Self::acquire) refuses while another owner is there, and counts its epochs: each is higher than
/// every one before, also after the process ended in whatever way. An owner that died owns nothing. A commit carries the
/// epoch of its owner, and the store refuses one of an epoch that is older than the last that wrote to the workspace
/// ([`CommitError::NotOwner`](super::CommitError::NotOwner)); that stops what is written, not what is sent. So an owner sends
/// nothing unless it verified with [`renew`](Self::renew), a short while ago, that the right is still its own.
///
/// [`OwnerBook`](super::OwnerBook) is one for stores that live in a process.
///
/// ```
/// # use entracte_application::samples::example::*;
/// # example(async {
/// use entracte_application::ports::{OwnerBook, Ownership, OwnershipError};
/// use entracte_domain::time::Timestamp;
///
/// let store = OwnerBook::default();
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
/// An [`acquire`](Self::acquire) that is dropped holds nothing, or its right ends with what it would have returned;
/// at most an epoch was skipped. All others leave nothing behind.
#[cfg_attr(any(test, feature = "test-helpers"), mockall::automock)]
#[async_trait]
pub trait Ownership: Send + Sync {
    /// Takes the right, or says who has it; never waits for another owner. Gives the epoch, from 1.
    ///
    /// # Errors
    /// [`OwnershipError::Owned`] while another owner is there: nothing was taken, and later it may be free.
    /// [`OwnershipError::Store`] when that cannot be asked or the epoch cannot be counted now: nothing is held then,
    /// at most an epoch was skipped. Never [`OwnershipError::Lost`].
    async fn acquire(&self, now: Timestamp) -> Result<u64, OwnershipError>;

    /// Asks where the right is kept whether it is still that of this epoch.
    ///
    /// # Errors
    /// [`OwnershipError::Lost`] when it is another owner's or was released: it is final, and the runtime ends.
    /// [`OwnershipError::Store`] when that is not known now: the runtime sends nothing meanwhile, and asks again.
    async fn renew(&self, epoch: u64) -> Result<(), OwnershipError>;

    /// Gives the right back, at once. Of an epoch that is over it does nothing.
    fn release(&self, epoch: u64);

    /// Who took the right last; none when nobody did, or where that is not kept.
    ///
    /// # Errors
    /// When the row cannot be read now ([`StoreError`]). Nothing depends on it but what people are told.
    async fn holder(&self) -> Result<Option<OwnershipRecord>, StoreError> {
        Ok(None)
    }

    /// Asks whoever has the right to give it back, in these words. The next owner is asked anew.
    ///
    /// # Errors
    /// When the wish cannot be written down now ([`StoreError`]); it may be asked again, twice is as once.
    async fn request_release(&self, _by: &str) -> Result<(), StoreError> {
        Ok(())
    }
}
