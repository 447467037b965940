//! The errors sent to waiting requests of this process that could not be handled.

use tokio::sync::oneshot;

use super::error::TurnError;
use super::workspace_input::WorkspaceInput;
use crate::mail::MailAnswer;
use crate::ports::MailPostError;

/// The error that another process owns the database: the request was not handled and may be repeated there.
pub(super) fn not_owner_error() -> TurnError {
    TurnError::NotOwner("another process owns the database now".into())
}

/// Refuses the waiting requests of this process, because the database cannot be written. Outcomes and wake-ups
/// are kept, because they must not be lost; mail of other processes waits, and its posters see no answer and may
/// withdraw it.
pub(super) fn refuse_requests(waiting: &mut Vec<WorkspaceInput>, fault: &TurnError) {
    let is_asked_here = |item: &mut WorkspaceInput| matches!(item, WorkspaceInput::Request { row: None, .. });
    for item in waiting.extract_if(.., is_asked_here) {
        if let WorkspaceInput::Request { reply, .. } = item {
            refuse(reply, fault);
        }
    }
}

/// Sends the error to a request of this process.
pub(super) fn refuse(reply: Option<oneshot::Sender<Result<MailAnswer, MailPostError>>>, fault: &TurnError) {
    let why = match fault {
        TurnError::Store(error) => MailPostError::Store(error.clone()),
        TurnError::NotOwner(_) => MailPostError::NotOwner,
        other @ (TurnError::Codec(_)
        | TurnError::Damaged(_)
        | TurnError::Conflict(_)
        | TurnError::Endless(_)) => MailPostError::Unavailable(other.refusal_text()),
    };
    if let Some(reply) = reply {
        // The sender may have stopped waiting.
        let _ = reply.send(Err(why));
    }
}
