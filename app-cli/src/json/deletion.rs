use entracte_application::journal::{SessionDeletion, UnfinishedCall};
use serde::Serialize;

use crate::render::time::iso;

/// `entracte.deletions/1`: the deleted sessions of a workspace.
#[derive(Serialize)]
pub(crate) struct DeletionsObject {
    schema: &'static str,
    deletions: Vec<DeletionObject>,
}

#[derive(Serialize)]
struct DeletionObject {
    session: String,
    kind: String,
    deleted_at: String,
    deleted_by: String,
    /// The calls that were unfinished.
    open: Vec<UnfinishedCallObject>,
    /// The number of further ones.
    more: u32,
}

#[derive(Serialize)]
struct UnfinishedCallObject {
    call: String,
    /// The unused approval: asked for, or given.
    approval: Option<String>,
    /// The digest of its card.
    digest: Option<String>,
    command: String,
    /// The hash of the command and its arguments.
    command_id: String,
    state: String,
}

impl From<&[SessionDeletion]> for DeletionsObject {
    fn from(deletions: &[SessionDeletion]) -> Self {
        let deletions = deletions.iter().map(DeletionObject::from).collect();
        Self { schema: "entracte.deletions/1", deletions }
    }
}

impl From<&SessionDeletion> for DeletionObject {
    fn from(deletion: &SessionDeletion) -> Self {
        Self {
            session: deletion.session.to_string(),
            kind: deletion.kind.clone(),
            deleted_at: iso(deletion.at),
            deleted_by: deletion.author.clone(),
            open: deletion.open.iter().map(UnfinishedCallObject::from).collect(),
            more: deletion.more,
        }
    }
}

impl From<&UnfinishedCall> for UnfinishedCallObject {
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
