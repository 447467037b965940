use async_trait::async_trait;
use entracte_domain::id::WorkspaceKey;

use super::StoreError;
use crate::mail::{Mail, MailAnswer};
use crate::texts::RefusalText;

/// Why a posted request got no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MailPostError {
    /// The process that owns the database did not accept the request in time; it was withdrawn, and nothing was done.
    #[error(
        "the process that owns the database did not answer within {seconds} s; nothing was done, try again"
    )]
    NotTaken {
        /// How long the sender waited.
        seconds: i64,
    },
    /// The addressed runtime no longer owns the database; nothing was done.
    #[error("another process owns the database now; nothing was done, try again")]
    NotOwner,
    /// The database cannot be used now, or the request cannot be stored. In the second case nothing was done; see
    /// [`StoreError`] for the first.
    #[error("the request could not be recorded: {0}")]
    Store(#[from] StoreError),
    /// The runtime failed or ended: its rows kept changing, stored data cannot be read, or its worker was gone before
    /// it answered. The request may have been executed; check before retrying.
    #[error("it is not known whether the request was recorded: {0}; check before you try again")]
    Unavailable(RefusalText),
}

/// The single entry point for requests: to the runtime of this process, or to the process that owns the database.
///
/// Contract: an accepted request is committed when the future returns; a refused one changed nothing.
///
/// ```
/// # use entracte_application::samples::example::*;
/// # example(async {
/// use async_trait::async_trait;
/// use entracte_application::mail::{InterruptRoundRequest, Mail, MailAnswer, MailRequest};
/// use entracte_application::ports::{MailPostError, MailSender};
/// use entracte_domain::id::WorkspaceKey;
///
/// /// Accepts no request.
/// struct Closed;
///
/// #[async_trait]
/// impl MailSender for Closed {
///     async fn post(&self, _: &WorkspaceKey, _: Mail) -> Result<MailAnswer, MailPostError> {
///         Err(MailPostError::Unavailable("closed for the night".into()))
///     }
/// }
///
/// let interrupt = InterruptRoundRequest { author: "ann".into() };
/// let mail = Mail::from_request(MailRequest::session(samples::session(), interrupt));
/// let failed = Closed.post(&samples::workspace(), mail).await.unwrap_err();
/// assert!(failed.to_string().contains("closed for the night"));
/// # Ok(()) });
/// ```
///
/// # Cancel safety
/// If the future is dropped before the request was posted, nothing is done. If it is dropped afterwards, the request
/// is executed or refused as usual, perhaps by a later owner, and the answer is discarded: [`post`](Self::post)
/// withdraws nothing. The outcome is visible in the stored rows, or by repeating the request under the same id, client
/// key or receipt.
#[cfg_attr(any(test, feature = "test-helpers"), mockall::automock)]
#[async_trait]
pub trait MailSender: Send + Sync {
    /// Posts a request and waits for its answer.
    ///
    /// # Errors
    /// A refusal is not an error: it is a [`MailAnswer::Refused`]. After [`MailPostError::NotTaken`] and
    /// [`MailPostError::NotOwner`] nothing was done, and a retry makes sense. After [`MailPostError::Store`] and
    /// [`MailPostError::Unavailable`] usually nothing was done, but that is not certain (a server was lost during a
    /// commit, or mail of another process could not be withdrawn): retry under the same id, client key or receipt, or
    /// check first.
    async fn post(&self, workspace: &WorkspaceKey, mail: Mail) -> Result<MailAnswer, MailPostError>;
}
