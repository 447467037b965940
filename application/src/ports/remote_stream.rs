use std::sync::Arc;

use async_trait::async_trait;
use entracte_domain::id::{SessionId, WorkspaceKey};
use secrecy::SecretString;

/// Where the words of a session are spoken: the stream of the server that owns the database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemoteStreamLocation {
    /// Where it answers, as its row says. Whoever can write the database can write it.
    pub url: String,
    /// It runs on this machine: then only may it be asked without encryption, on the loopback.
    pub is_here: bool,
    /// The workspace.
    pub workspace: WorkspaceKey,
    /// The session.
    pub session: SessionId,
}

/// What is heard of a session that another process runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RemoteStreamEvent {
    /// Something was committed: it stands in the database.
    Committed,
    /// A piece of what a model says.
    Words {
        /// Number of the entry in which the attempt began.
        attempt: u64,
        /// It thinks aloud; else it speaks.
        thinks: bool,
        /// Bytes of it that came before.
        offset: u64,
        /// The piece.
        text: String,
    },
    /// What is stored of an attempt is not what was heard of it.
    Corrected {
        /// Number of the entry in which the attempt began.
        attempt: u64,
    },
}

/// Why nothing is heard any more.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RemoteStreamError {
    /// It must not be asked: it is neither on the loopback of this machine nor encrypted.
    #[error("{0} is neither on the loopback of this machine nor https, so no token is sent there")]
    NotAsked(String),
    /// It answers something else than a stream.
    #[error("the server did not answer with a stream: {0}")]
    Refused(String),
    /// The connection could not be made, or broke.
    #[error("the server cannot be heard: {0}")]
    Broken(String),
}

/// Who is told what is heard.
pub type RemoteStreamCallback = Arc<dyn Fn(RemoteStreamEvent) + Send + Sync>;

/// Hears what models say in another process.
///
/// Contract: a token goes to the address of [`RemoteStreamLocation::url`] only, wherever that answers to go, and only where
/// [`RemoteStreamError::NotAsked`] does not forbid it. Each attempt that is under way is heard from its beginning on.
///
/// ```
/// # use entracte_application::samples::example::*;
/// use std::sync::{Arc, Mutex};
///
/// use async_trait::async_trait;
/// use entracte_application::ports::{Ear, NotHeard, Overheard, SpokenAt, WordSource};
/// use secrecy::SecretString;
///
/// /// Somebody says one word, and that is all.
/// struct OneWord;
///
/// #[async_trait]
/// impl WordSource for OneWord {
///     async fn hear(&self, at: SpokenAt, _: SecretString, ear: Ear) -> Result<(), NotHeard> {
///         if !at.is_here && !at.url.starts_with("https://") {
///             return Err(NotHeard::NotAsked(at.url));
///         }
///         ear(Overheard::Words { attempt: 3, thinks: false, offset: 0, text: "Hello.".to_owned() });
///         Ok(())
///     }
/// }
///
/// # example(async {
/// let heard = Arc::new(Mutex::new(Vec::new()));
/// let kept = heard.clone();
/// let ear: Ear = Arc::new(move |words: Overheard| kept.lock().unwrap().push(words));
/// let at = SpokenAt {
///     url: "http://127.0.0.1:8080".to_owned(),
///     is_here: true,
///     workspace: samples::workspace(),
///     session: samples::session(),
/// };
/// OneWord.hear(at, SecretString::from("token".to_owned()), ear).await?;
/// assert_eq!(heard.lock().unwrap().len(), 1);
/// # Ok(()) });
/// ```
#[cfg_attr(any(test, feature = "test-helpers"), mockall::automock)]
#[async_trait]
pub trait RemoteStreamClient: Send + Sync {
    /// Hears until the stream ends in order.
    ///
    /// # Errors
    /// See [`RemoteStreamError`].
    async fn stream_session(
        &self,
        at: RemoteStreamLocation,
        token: SecretString,
        ear: RemoteStreamCallback,
    ) -> Result<(), RemoteStreamError>;
}
