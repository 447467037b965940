//! Requests that a session's model reads: messages, manual calls.

use entracte_domain::message::UserMessage;
use entracte_domain::session::PhaseLabel;

use crate::mail::{MailAnswer, MailRefusal, ManualCallRequest, SendMessageRequest};
use crate::protocol::relay;
use crate::runtime::turn::commands::{ApplyToSession, SessionDraftEdit};
use crate::runtime::turn::messages::{build_message_input, find_message_by_key};
use crate::runtime::turn::request_not_applied::RequestNotApplied;
use crate::texts::saying;

impl ApplyToSession for SendMessageRequest {
    fn apply(&self, edit: &mut SessionDraftEdit<'_>) -> Result<MailAnswer, RequestNotApplied> {
        let Self { author, message, client_key } = self;
        if edit.is_seed() {
            let what = saying!("request-seed-message", session = edit.session().as_str());
            return Err(MailRefusal::Conflict(what).into());
        }
        refuse_manual_call_session(edit)?;
        edit.refresh()?;
        match find_repeated(edit, client_key.as_deref())? {
            Some(accepted) => Ok(accepted),
            None => send_message(edit, author, message, client_key.as_deref()),
        }
    }
}

impl ApplyToSession for ManualCallRequest {
    fn apply(&self, edit: &mut SessionDraftEdit<'_>) -> Result<MailAnswer, RequestNotApplied> {
        let Self { author, command, client_key } = self;
        if !edit.is_manual_call_session() {
            let what = saying!("request-not-of-calls", session = edit.session().as_str());
            return Err(MailRefusal::Conflict(what).into());
        }
        edit.refresh()?;
        if let Some(accepted) = find_repeated(edit, client_key.as_deref())? {
            return Ok(accepted);
        }
        // Its relay model repeats the last message, so of two concurrent requests one would be lost.
        if edit.drafted()?.phase.label() != PhaseLabel::Idle {
            let what = saying!("request-call-under-way", session = edit.session().as_str());
            return Err(MailRefusal::Conflict(what).into());
        }
        let message = UserMessage::text(relay::relay_message(command));
        send_message(edit, author, &message, client_key.as_deref())
    }
}

/// Refuses a message to a session of manual calls. Its relay model repeats every message as a call; otherwise a
/// chat-only token could act with the owner's rights.
pub(super) fn refuse_manual_call_session(edit: &SessionDraftEdit<'_>) -> Result<(), MailRefusal> {
    match edit.is_manual_call_session() {
        true => Err(MailRefusal::manual_calls_only(edit.session())),
        false => Ok(()),
    }
}

/// The answer to a message that was sent with this key before.
fn find_repeated(
    edit: &SessionDraftEdit<'_>,
    client_key: Option<&str>,
) -> Result<Option<MailAnswer>, RequestNotApplied> {
    let Some(key) = client_key else { return Ok(None) };
    let message = find_message_by_key(edit.turn(), edit.draft(), edit.session(), key)?;
    Ok(message.map(|message| MailAnswer::accept_message(Some(message), edit.session())))
}

fn send_message(
    edit: &mut SessionDraftEdit<'_>,
    author: &str,
    message: &UserMessage,
    client_key: Option<&str>,
) -> Result<MailAnswer, RequestNotApplied> {
    let (turn, session) = (edit.turn(), edit.session());
    let input = build_message_input(turn, edit.draft(), session, author, message, client_key)?;
    edit.apply_message(input)
}
