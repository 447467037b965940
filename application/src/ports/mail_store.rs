use async_trait::async_trait;
use entracte_domain::id::WorkspaceKey;
use entracte_domain::time::Timestamp;

use super::StoreError;

/// Number of a piece of mail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "rows-serde", derive(serde::Serialize, serde::Deserialize))]
pub struct MailId(pub i64);

/// A piece of mail that the owner has not answered yet.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "rows-serde", derive(serde::Serialize, serde::Deserialize))]
pub struct MailRow {
    /// Its number; mail is handled in this order.
    pub id: MailId,
    /// For which workspace.
    #[cfg_attr(feature = "rows-serde", serde(with = "super::serde_rows"))]
    pub workspace: WorkspaceKey,
    /// What it says, encoded.
    pub body: Vec<u8>,
    /// When it was posted.
    #[cfg_attr(feature = "rows-serde", serde(with = "super::serde_rows"))]
    pub posted_at: Timestamp,
}

/// Mail from processes that do not own the database to the one that does. Its answer is written by the commit
/// that takes it in ([`super::Commit::answers`]).
///
/// Contract: numbers are never given twice; the first answer stands; mail is taken back or answered, never both,
/// so who takes it back knows that nothing was done. A number says nothing outside of its workspace.
///
/// ```
/// # use entracte_application::samples::example::*;
/// # example(async {
/// use std::sync::Mutex;
///
/// use async_trait::async_trait;
/// use entracte_application::ports::{MailId, MailRow, MailRows, MailStore, StoreError};
/// use entracte_domain::id::WorkspaceKey;
/// use entracte_domain::time::Timestamp;
///
/// /// Mail in memory. A commit of the same store answers it with [`MailRows::give_answer`].
/// #[derive(Default)]
/// struct MailInMemory(Mutex<MailRows>);
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
///     async fn refuse(&self, to: &WorkspaceKey, id: MailId, answer: Vec<u8>) -> Result<(), StoreError> {
///         // The first answer stands.
///         self.0.lock().unwrap().give_answer(to, id, answer).or(Ok(()))
///     }
///     async fn take_back(&self, to: &WorkspaceKey, id: MailId) -> Result<(), StoreError> {
///         self.0.lock().unwrap().take_back(to, id);
///         Ok(())
///     }
///     async fn forget(&self, before: Timestamp) -> Result<(), StoreError> {
///         self.0.lock().unwrap().forget(before);
///         Ok(())
///     }
/// }
///
/// let mail = MailInMemory::default();
/// let id = mail.post(&samples::workspace(), b"hello".to_vec(), samples::NOON).await?;
/// assert_eq!(mail.unanswered().await?.len(), 1);
/// mail.refuse(&samples::workspace(), id, b"no".to_vec()).await?;
/// assert_eq!(mail.answer(&samples::workspace(), id).await?, Some(b"no".to_vec()));
/// # Ok(()) });
/// ```
///
/// # Errors
/// [`StoreError::Unavailable`] when the store cannot be used now, [`StoreError::Inconsistent`] when a row of it
/// cannot be read. Mail that is not there is no error. After a failed [`post`](Self::post) the mail may be there
/// where a server was lost in the middle of it; its poster does not know its number, so it is handled and its answer
/// is read by nobody. After a failed [`withdraw`](Self::take_back) it may still be handled. All others may simply be
/// tried again: done twice is as done once.
///
/// # Cancel safety
/// A [`post`](Self::post) that is dropped has posted the mail or not, and nobody knows its number: it is handled all
/// the same. All others are harmless.
#[cfg_attr(any(test, feature = "test-helpers"), mockall::automock)]
#[async_trait]
pub trait MailStore: Send + Sync {
    /// Posts; durable when it returns.
    async fn post(
        &self,
        workspace: &WorkspaceKey,
        body: Vec<u8>,
        now: Timestamp,
    ) -> Result<MailId, StoreError>;

    /// Mail without an answer, in order. Cheap when nothing changed: it is asked several times a second.
    async fn unanswered(&self) -> Result<Vec<MailRow>, StoreError>;

    /// The answer to a piece of mail; none while there is none.
    async fn answer(&self, workspace: &WorkspaceKey, id: MailId) -> Result<Option<Vec<u8>>, StoreError>;

    /// Answers mail that no commit takes in (it was refused, or nothing came of it).
    async fn answer_refused(
        &self,
        workspace: &WorkspaceKey,
        id: MailId,
        answer: Vec<u8>,
    ) -> Result<(), StoreError>;

    /// Forgets a piece that its poster takes back, unless it has its answer.
    async fn withdraw(&self, workspace: &WorkspaceKey, id: MailId) -> Result<(), StoreError>;

    /// Forgets answered mail posted before `before`.
    async fn delete_answered_before(&self, before: Timestamp) -> Result<(), StoreError>;
}
