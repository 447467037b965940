//! What whoever asked in this process is told when nothing came of it.

use tokio::sync::oneshot;

use super::error::TurnError;
use super::workspace_input::WorkspaceInput;
use crate::mail::MailAnswer;
use crate::ports::MailPostError;

/// That another process owns the database: the request was not handled, and may be made again there.
pub(super) fn not_owner_error() -> TurnError {
    TurnError::NotOwner("another process owns the database now".into())
}

/// The database cannot be written: whoever asks is told now. Outcomes and wake-ups are kept, they must not be
/// lost; mail of other processes waits, its posters see no answer and may take it back.
pub(super) fn refuse_requests(waiting: &mut Vec<WorkspaceInput>, fault: &TurnError) {
    let is_asked_here = |item: &mut WorkspaceInput| matches!(item, WorkspaceInput::Request { row: None, .. });
    for item in waiting.extract_if(.., is_asked_here) {
        if let WorkspaceInput::Request { reply, .. } = item {
            refuse(reply, fault);
        }
    }
}

/// Tells who asked in this process why nothing came of it.
pub(super) fn refuse(reply: Option<oneshot::Sender<Result<MailAnswer, MailPostError>>>, fault: &TurnError) {
    let why = match fault {
        TurnError::Store(error) => MailPostError::Store(error.clone()),
        TurnError::NotOwner(_) => MailPostError::NotOwner,
        other @ (TurnError::Codec(_)
        | TurnError::Damaged(_)
        | TurnError::Conflict(_)
        | TurnError::Endless(_)) => MailPostError::Unavailable(other.to_string()),
    };
    if let Some(reply) = reply {
        // The sender may no longer listen.
        let _ = reply.send(Err(why));
    }
}
