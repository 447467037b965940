use entracte_domain::id::SessionId;

use crate::codec::CodecError;
use crate::ports::StoreError;

/// Why a turn failed. Nothing was written, and its mail is still queued.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TurnError {
    /// The database cannot be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Stored data cannot be decoded, or new data cannot be encoded.
    #[error(transparent)]
    Codec(#[from] CodecError),
    /// Data that must exist is missing.
    #[error("the database is damaged: {0}")]
    Damaged(String),
    /// Rows changed under the turn repeatedly: another process writes to this database.
    #[error("{0}; another process writes to this database")]
    Conflict(String),
    /// The turn requested more facts than any turn needs: an internal error of Entracte.
    #[error("the turn asked {0} times for what it has to know and came to no end; please report this")]
    Endless(u32),
    /// Another owner took the workspace: this process no longer handles its events.
    #[error("{0}")]
    NotOwner(String),
}

impl TurnError {
    pub(super) fn missing_session(session: &SessionId) -> Self {
        Self::Damaged(format!("the session {session} no longer exists"))
    }
}
