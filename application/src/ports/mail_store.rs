use async_trait::async_trait;
use entracte_domain::id::WorkspaceKey;
use entracte_domain::time::Timestamp;

use super::StoreError;

/// The number of a mail item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "rows-serde", derive(serde::Serialize, serde::Deserialize))]
pub struct MailId(pub i64);

/// A mail item that the owner has not answered yet.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "rows-serde", derive(serde::Serialize, serde::Deserialize))]
pub struct MailRow {
    /// Its number; mail is processed in this order.
    pub id: MailId,
    /// The workspace the request is for.
    #[cfg_attr(feature = "rows-serde", serde(with = "super::serde_rows"))]
    pub workspace: WorkspaceKey,
    /// The encoded [`Mail`](crate::mail::Mail).
    pub body: Vec<u8>,
    /// When it was posted.
    #[cfg_attr(feature = "rows-serde", serde(with = "super::serde_rows"))]
    pub posted_at: Timestamp,
}

/// Mail from processes that do not own the database to the owner. The commit that processes a mail item also writes
/// its answer ([`super::WorkspaceCommit::answers`]).
///
/// Contract: numbers are never reused; the first answer is final; mail is either withdrawn or answered, never both, so
/// a successful withdrawal means that nothing was done. A number is only meaningful within its workspace.
///
/// ```
/// # use entracte_application::samples::example::*;
/// # example(async {
/// use std::sync::Mutex;
///
/// use async_trait::async_trait;
/// use entracte_application::ports::{MailId, MailRow, MailStore, MemoryMailTable, StoreError};
/// use entracte_domain::id::WorkspaceKey;
/// use entracte_domain::time::Timestamp;
///
/// /// Stores mail in memory. A commit of the same store answers it with [`MemoryMailTable::record_answer`].
/// #[derive(Default)]
/// struct MailInMemory(Mutex<MemoryMailTable>);
///
/// #[async_trait]
/// impl MailStore for MailInMemory {
///     async fn post(&self, to: &WorkspaceKey, body: Vec<u8>, now: Timestamp) -> Result<MailId, StoreError> {
///         Ok(self.0.lock().unwrap().post(to.clone(), body, now))
///     }
///     async fn unanswered(&self) -> Result<Vec<MailRow>, StoreError> {
///         Ok(self.0.lock().unwrap().unanswered())
///     }
///     async fn answer(&self, to: &WorkspaceKey, id: MailId) -> Result<Option<Vec<u8>>, StoreError> {
///         Ok(self.0.lock().unwrap().answer(to, id))
///     }
///     async fn answer_refused(&self, to: &WorkspaceKey, id: MailId, answer: Vec<u8>) -> Result<(), StoreError> {
/// // The first answer is final.
///         self.0.lock().unwrap().record_answer(to, id, answer).or(Ok(()))
///     }
///     async fn withdraw(&self, to: &WorkspaceKey, id: MailId) -> Result<(), StoreError> {
///         self.0.lock().unwrap().withdraw(to, id);
///         Ok(())
///     }
///     async fn delete_answered_before(&self, before: Timestamp) -> Result<(), StoreError> {
///         self.0.lock().unwrap().delete_answered_before(before);
///         Ok(())
///     }
/// }
///
/// let mail = MailInMemory::default();
/// let id = mail.post(&samples::workspace(), b"hello".to_vec(), samples::NOON).await?;
/// assert_eq!(mail.unanswered().await?.len(), 1);
/// mail.answer_refused(&samples::workspace(), id, b"no".to_vec()).await?;
/// assert_eq!(mail.answer(&samples::workspace(), id).await?, Some(b"no".to_vec()));
/// # Ok(()) });
/// ```
///
/// # Errors
/// [`StoreError::Unavailable`] when the store cannot be used now, [`StoreError::Inconsistent`] when a row cannot be
/// read. Missing mail is not an error. After a failed [`post`](Self::post) the mail may exist if a server was lost
/// during the write; its sender does not know its number, so it is processed and its answer is never read. After a
/// failed [`withdraw`](Self::withdraw) it may still be processed. All other methods are idempotent and may simply be
/// retried.
///
/// # Cancel safety
/// A [`post`](Self::post) that is dropped may or may not have posted the mail, and its number is lost: if posted, it
/// is processed all the same. All other methods are harmless.
#[cfg_attr(any(test, feature = "test-helpers"), mockall::automock)]
#[async_trait]
pub trait MailStore: Send + Sync {
    /// Posts a mail item; it is durable when this returns.
    async fn post(
        &self,
        workspace: &WorkspaceKey,
        body: Vec<u8>,
        now: Timestamp,
    ) -> Result<MailId, StoreError>;

    /// The unanswered mail, in order. Must be cheap when nothing changed: it is polled several times a second.
    async fn unanswered(&self) -> Result<Vec<MailRow>, StoreError>;

    /// The answer to a mail item; `None` until it is answered.
    async fn answer(&self, workspace: &WorkspaceKey, id: MailId) -> Result<Option<Vec<u8>>, StoreError>;

    /// Answers mail that no commit processes, because it was refused or had no effect.
    async fn answer_refused(
        &self,
        workspace: &WorkspaceKey,
        id: MailId,
        answer: Vec<u8>,
    ) -> Result<(), StoreError>;

    /// Deletes a mail item that its sender withdraws, unless it is answered already.
    async fn withdraw(&self, workspace: &WorkspaceKey, id: MailId) -> Result<(), StoreError>;

    /// Deletes answered mail posted before `before`.
    async fn delete_answered_before(&self, before: Timestamp) -> Result<(), StoreError>;
}
