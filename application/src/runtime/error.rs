use entracte_domain::id::{Digest, SessionId, WorkspaceKey};

use crate::codec::CodecError;
use crate::ports::StoreError;
use crate::prompt::PrefixFault;
use crate::texts::{LocalizedMessage, RefusalText, saying};

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
    #[error("{}", damaged(.0))]
    Damaged(LocalizedMessage),
    /// Rows changed under the turn repeatedly: another process writes to this database.
    #[error("{}", conflict(.0))]
    Conflict(String),
    /// The turn requested more facts than any turn needs: an internal error of Entracte.
    #[error("{}", endless(*.0))]
    Endless(u32),
    /// Another owner took the workspace: this process no longer handles its events.
    #[error("{0}")]
    NotOwner(String),
}

impl TurnError {
    pub(super) fn missing_session(session: &SessionId) -> Self {
        Self::Damaged(saying!("turn-session-gone", session = session.as_str()))
    }

    pub(super) fn missing_prefix(prefix: &Digest) -> Self {
        Self::Damaged(saying!("turn-prefix-missing", prefix = prefix.to_string()))
    }

    pub(super) fn unreadable_prefix(prefix: &Digest, fault: &PrefixFault) -> Self {
        let why = fault.to_string();
        Self::Damaged(saying!("turn-prefix-unreadable", prefix = prefix.to_string(), why = why))
    }

    pub(super) fn unreadable_workspace(workspace: &WorkspaceKey, fault: &CodecError) -> Self {
        let (workspace, why) = (workspace.to_string(), fault.to_string());
        Self::Damaged(saying!("turn-workspace-unreadable", workspace = workspace, why = why))
    }

    /// Whether stored data is missing or unreadable, so that a later attempt fails alike.
    pub(super) const fn is_damage(&self) -> bool {
        match self {
            Self::Damaged(_) | Self::Codec(_) | Self::Store(StoreError::Inconsistent(_)) => true,
            Self::Store(StoreError::Unavailable(_))
            | Self::Conflict(_)
            | Self::Endless(_)
            | Self::NotOwner(_) => false,
        }
    }

    /// The error for the person whose request failed. The details of the database and of the codec are English.
    pub(super) fn refusal_text(&self) -> RefusalText {
        match self {
            Self::Damaged(why) => damaged(why).into(),
            Self::Conflict(why) => conflict(why).into(),
            Self::Endless(count) => endless(*count).into(),
            Self::Store(_) | Self::Codec(_) | Self::NotOwner(_) => self.to_string().into(),
        }
    }
}

fn damaged(why: &LocalizedMessage) -> LocalizedMessage {
    saying!("turn-damaged", why = why.clone())
}

fn conflict(why: &str) -> LocalizedMessage {
    saying!("turn-conflict", why = why)
}

fn endless(count: u32) -> LocalizedMessage {
    saying!("turn-endless", count = count)
}
