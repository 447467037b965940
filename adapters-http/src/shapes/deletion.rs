//! Shapes of the records of deleted sessions.

use entracte_application::journal::{SessionDeletion, UnfinishedCall};
use serde::Serialize;
use utoipa::ToSchema;

use super::iso;

/// A session that was deleted.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct DeletionShape {
    /// The id of the session.
    pub session: String,
    /// `chat` or `automation`.
    pub kind: String,
    /// When.
    pub deleted_at: String,
    /// By whom.
    pub deleted_by: String,
    /// The calls that were open.
    pub open: Vec<LeftOpenShape>,
    /// How many more there were.
    pub more: u32,
}

/// The sessions that were deleted in a workspace.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct DeletionsShape {
    /// The deletions, the latest first.
    pub deletions: Vec<DeletionShape>,
}

/// A call that was open when its session was deleted.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct LeftOpenShape {
    /// The call.
    pub call: String,
    /// The approval that was asked, or given and not used.
    pub approval: Option<String>,
    /// The digest of its card.
    pub digest: Option<String>,
    /// The command.
    pub command: String,
    /// Hash of the command with its arguments.
    pub command_id: String,
    /// How it stood.
    pub state: String,
}

impl From<&SessionDeletion> for DeletionShape {
    fn from(deletion: &SessionDeletion) -> Self {
        Self {
            session: deletion.session.to_string(),
            kind: deletion.kind.clone(),
            deleted_at: iso(deletion.at),
            deleted_by: deletion.author.clone(),
            open: deletion.open.iter().map(LeftOpenShape::from).collect(),
            more: deletion.more,
        }
    }
}

impl From<&UnfinishedCall> for LeftOpenShape {
    fn from(open: &UnfinishedCall) -> Self {
        Self {
            call: open.call.to_string(),
            approval: open.approval.as_ref().map(ToString::to_string),
            digest: open.card.as_ref().map(ToString::to_string),
            command: open.command.clone(),
            command_id: open.command_id.to_string(),
            state: open.state.clone(),
        }
    }
}
