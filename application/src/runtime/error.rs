use entracte_domain::id::SessionId;

use crate::codec::CodecError;
use crate::ports::StoreError;

/// Why a turn could not be made. Nothing was written; the mail are still there.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TurnError {
    /// The database cannot be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// What is stored cannot be read, or what is to be stored cannot be written.
    #[error(transparent)]
    Codec(#[from] CodecError),
    /// Something that must be there is not.
    #[error("the database is damaged: {0}")]
    Damaged(String),
    /// The rows changed under the turn again and again: another process writes to this database.
    #[error("{0}; another process writes to this database")]
    Conflict(String),
    /// The turn asked for more than any turn has to know: an error inside Entracte.
    #[error("the turn asked {0} times for what it has to know and came to no end; please report this")]
    Endless(u32),
    /// Another owner took the workspace: this process handles no events of it any more.
    #[error("{0}")]
    NotOwner(String),
}

impl TurnError {
    pub(super) fn missing_session(session: &SessionId) -> Self {
        Self::Damaged(format!("the session {session} no longer exists"))
    }
}
