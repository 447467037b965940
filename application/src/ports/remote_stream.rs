use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use entracte_domain::id::{CallId, SessionId, WorkspaceKey};
use secrecy::SecretString;

use super::CallProgress;

/// The address of a session's live stream: the server that owns the database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemoteStreamLocation {
    /// The server's address, as stored in its ownership record. Anyone who can write the database can change it.
    pub url: String,
    /// Whether the server runs on this machine: only then may it be contacted without encryption, on the loopback.
    pub is_here: bool,
    /// The workspace of the session.
    pub workspace: WorkspaceKey,
    /// The session to stream.
    pub session: SessionId,
}

/// An event from the stream of a session in another process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RemoteStreamEvent {
    /// An entry was committed and can be read from the database.
    Committed,
    /// A piece of live model text.
    Words {
        /// The number of the log entry in which the attempt began.
        attempt: u64,
        /// Whether the text is reasoning instead of reply text.
        thinks: bool,
        /// The byte offset of the piece in the attempt's text.
        offset: u64,
        /// The text of the piece.
        text: String,
    },
    /// The progress of all running calls that say so.
    CallsProgressed(BTreeMap<CallId, CallProgress>),
    /// The stored text of an attempt differs from its streamed text.
    Corrected {
        /// The number of the log entry in which the attempt began.
        attempt: u64,
    },
}

/// Why a remote stream ended or could not be opened.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RemoteStreamError {
    /// The address was not contacted: it is neither on the loopback of this machine nor encrypted.
    #[error("{0} is neither on the loopback of this machine nor https, so no token is sent there")]
    NotAsked(String),
    /// The server's answer is not a stream.
    #[error("the server did not answer with a stream: {0}")]
    Refused(String),
    /// The connection could not be made, or broke.
    #[error("the server cannot be heard: {0}")]
    Broken(String),
}

/// The callback that receives the events of a stream.
pub type RemoteStreamCallback = Arc<dyn Fn(RemoteStreamEvent) + Send + Sync>;

/// Receives the live model text of another process.
///
/// Contract: a token is sent only to the address of [`RemoteStreamLocation::url`], never to a redirect target, and
/// only if [`RemoteStreamError::NotAsked`] does not apply. Each running attempt is streamed from its beginning.
///
/// ```
/// # use entracte_application::samples::example::*;
/// use std::sync::{Arc, Mutex};
///
/// use async_trait::async_trait;
/// use entracte_application::ports::{
///     RemoteStreamCallback, RemoteStreamClient, RemoteStreamError, RemoteStreamEvent, RemoteStreamLocation,
/// };
/// use secrecy::SecretString;
///
/// /// Sends one word and ends.
/// struct OneWord;
///
/// #[async_trait]
/// impl RemoteStreamClient for OneWord {
///     async fn stream_session(
///         &self,
///         at: RemoteStreamLocation,
///         _: SecretString,
///         ear: RemoteStreamCallback,
///     ) -> Result<(), RemoteStreamError> {
///         if !at.is_here && !at.url.starts_with("https://") {
///             return Err(RemoteStreamError::NotAsked(at.url));
///         }
///         ear(RemoteStreamEvent::Words { attempt: 3, thinks: false, offset: 0, text: "Hello.".to_owned() });
///         Ok(())
///     }
/// }
///
/// # example(async {
/// let heard = Arc::new(Mutex::new(Vec::new()));
/// let kept = heard.clone();
/// let ear: RemoteStreamCallback = Arc::new(move |words: RemoteStreamEvent| kept.lock().unwrap().push(words));
/// let at = RemoteStreamLocation {
///     url: "http://127.0.0.1:8080".to_owned(),
///     is_here: true,
///     workspace: samples::workspace(),
///     session: samples::session(),
/// };
/// OneWord.stream_session(at, SecretString::from("token".to_owned()), ear).await?;
/// assert_eq!(heard.lock().unwrap().len(), 1);
/// # Ok(()) });
/// ```
#[cfg_attr(any(test, feature = "test-helpers"), mockall::automock)]
#[async_trait]
pub trait RemoteStreamClient: Send + Sync {
    /// Streams a session until the stream ends regularly.
    ///
    /// # Errors
    /// Same as the variants of [`RemoteStreamError`].
    async fn stream_session(
        &self,
        at: RemoteStreamLocation,
        token: SecretString,
        ear: RemoteStreamCallback,
    ) -> Result<(), RemoteStreamError>;
}
