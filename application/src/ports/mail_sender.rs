use async_trait::async_trait;
use entracte_domain::id::WorkspaceKey;

use super::StoreError;
use crate::mail::{Mail, MailAnswer};

/// Why a request got no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PostError {
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
    /// The database cannot be used now.
    #[error("the request could not be recorded: {0}")]
    Store(#[from] StoreError),
    /// The runtime failed.
    #[error("the request could not be recorded: {0}")]
    Unavailable(String),
}

/// The one way in for requests: to the runtime of this process, or to the process that owns the database.
///
/// Contract: an accepted request is committed when the future returns; a refused one changed nothing.
///
/// ```
/// # use entracte_application::samples;
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
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
/// };
/// let failed = Closed.post(&samples::workspace(), mail).await.unwrap_err();
/// assert_eq!(failed.to_string(), "the request could not be recorded: closed for the night");
/// # Ok(())
/// # }
/// ```
#[cfg_attr(any(test, feature = "test-helpers"), mockall::automock)]
#[async_trait]
pub trait MailSender: Send + Sync {
    /// Hands a request in and waits for its answer.
    async fn post(&self, workspace: &WorkspaceKey, mail: Mail) -> Result<MailAnswer, PostError>;
}
