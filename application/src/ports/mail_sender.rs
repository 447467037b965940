use async_trait::async_trait;
use entracte_domain::id::WorkspaceKey;

use super::StoreError;
use crate::mail::{Mail, MailAnswer};

/// Why a request got no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MailPostError {
    /// The process that owns the database did not accept it; it was withdrawn, and nothing was done.
    #[error(
        "the process that owns the database did not answer within {seconds} s; nothing was done, try again"
    )]
    NotTaken {
        /// How long was waited.
        seconds: i64,
    },
    /// The runtime that was asked no longer owns the database; nothing was done.
    #[error("another process owns the database now; nothing was done, try again")]
    NotOwner,
    /// The database cannot be used now, or what was asked for cannot be kept. Of the latter nothing was done; see
    /// [`StoreError`] for the former.
    #[error("the request could not be recorded: {0}")]
    Store(#[from] StoreError),
    /// The runtime failed or ended: the rows changed under it again and again, something stored cannot be read, or its
    /// task was gone before it answered. What was asked for may be done; look before trying again.
    #[error("it is not known whether the request was recorded: {0}; check before you try again")]
    Unavailable(String),
}

/// The one way in for requests: to the runtime of this process, or to the process that owns the database.
///
/// Contract: an accepted request is committed when the future returns; a refused one changed nothing.
///
/// ```
/// # use entracte_application::samples::example::*;
/// # example(async {
/// use async_trait::async_trait;
/// use entracte_application::mail::{Mail, MailAnswer, MailRequest};
/// use entracte_application::ports::{PostError, MailSender};
/// use entracte_domain::id::WorkspaceKey;
///
/// /// Takes nothing in.
/// struct Closed;
///
/// #[async_trait]
/// impl MailSender for Closed {
///     async fn post(&self, _: &WorkspaceKey, _: Mail) -> Result<MailAnswer, PostError> {
///         Err(PostError::Unavailable("closed for the night".into()))
///     }
/// }
///
/// let mail = Mail {
///     session: Some(samples::session()),
///     request: MailRequest::Interrupt { author: "ann".into() },
///     receipt: None,
///     may_approve: true,
/// };
/// let failed = Closed.post(&samples::workspace(), mail).await.unwrap_err();
/// assert!(failed.to_string().contains("closed for the night"));
/// # Ok(()) });
/// ```
///
/// # Cancel safety
/// Dropped before the request was handed in, nothing is done. Dropped afterwards, what was asked for is done whole or
/// refused as it would have been, also by a later owner, and nobody is told: [`post`](Self::post) takes nothing back.
/// Which of them it was can be seen in what is stored, or by asking again under the same id, client key or receipt.
#[cfg_attr(any(test, feature = "test-helpers"), mockall::automock)]
#[async_trait]
pub trait MailSender: Send + Sync {
    /// Hands a request in and waits for its answer.
    ///
    /// # Errors
    /// A refusal is no error: it is a [`MailAnswer::Refused`]. [`MailPostError::NotTaken`] and [`MailPostError::NotOwner`]
    /// say that nothing was done, and that trying again makes sense. After [`MailPostError::Store`] and
    /// [`MailPostError::Unavailable`] mostly nothing was done, but that is not certain (a server was lost in the middle
    /// of a commit, or the mail of a process beside the owner could not be taken back): try again under the same id,
    /// client key or receipt, or look first.
    async fn post(&self, workspace: &WorkspaceKey, mail: Mail) -> Result<MailAnswer, MailPostError>;
}
