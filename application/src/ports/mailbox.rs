use async_trait::async_trait;
use entracte_domain::id::WorkspaceKey;
use entracte_domain::time::Timestamp;

use super::StoreError;

/// Number of a piece of mail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MailId(pub i64);

/// A piece of mail that the owner has not answered yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MailRow {
    /// Its number; mail is taken in this order.
    pub id: MailId,
    /// For which workspace.
    pub workspace: WorkspaceKey,
    /// What it says, encoded.
    pub body: Vec<u8>,
    /// When it was posted.
    pub posted_at: Timestamp,
}

/// Mail from processes that do not own the database to the one that does. Its answer is written by the commit
/// that takes it in ([`super::Commit::answers`]).
#[cfg_attr(any(test, feature = "test-helpers"), mockall::automock)]
#[async_trait]
pub trait Mailbox: Send + Sync {
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
    async fn answer(&self, id: MailId) -> Result<Option<Vec<u8>>, StoreError>;

    /// Answers mail that no commit takes in (it was refused, or nothing came of it).
    async fn refuse(&self, id: MailId, answer: Vec<u8>) -> Result<(), StoreError>;

    /// Forgets answered mail posted before `before`, and a piece that its poster takes back.
    async fn forget(&self, before: Timestamp, taken_back: Option<MailId>) -> Result<(), StoreError>;
}
