//! User messages: checks key and length, and resolves enrichments.

use entracte_domain::id::{MessageId, SessionId};
use entracte_domain::message::{Segment, UserMessage};
use entracte_domain::session::{Input, SessionKind, UserMessageSent};

use crate::mail::MailRefusal;
use crate::runtime::title::title;
use crate::runtime::turn::context::{TurnContext, TurnStop};
use crate::runtime::turn::draft::TurnDraft;
use crate::runtime::turn::enrichments::{look_up_enrichments, resolve_enrichments};
use crate::runtime::turn::prefix::check_message_size;
use crate::runtime::turn::questions::MessageByKeyQuestion;
use crate::runtime::turn::request_not_applied::RequestNotApplied;
use crate::texts::saying;

pub(crate) fn build_message_input(
    turn: &TurnContext<'_>,
    draft: &TurnDraft,
    session: &SessionId,
    author: &str,
    message: &UserMessage,
    client_key: Option<&str>,
) -> Result<Input, RequestNotApplied> {
    build_message(turn, draft, session, author, message, client_key).map(Input::UserMessageSent)
}

/// The content of the input of a message.
pub(crate) fn build_message(
    turn: &TurnContext<'_>,
    draft: &TurnDraft,
    session: &SessionId,
    author: &str,
    message: &UserMessage,
    client_key: Option<&str>,
) -> Result<UserMessageSent, RequestNotApplied> {
    let Some(drafted) = draft.sessions.get(session) else {
        return Err(TurnStop::missing_session(session).into());
    };
    let (message, asked) = resolve_enrichments(turn, draft, &drafted.facts, message)?;
    check_message(turn, &message)?;
    check_message_size(turn, &drafted.facts, &message)?;
    let has_no_name = drafted.facts.kind == SessionKind::Chat && drafted.facts.name.is_empty();
    let title = has_no_name.then(|| title(&message)).flatten();
    Ok(UserMessageSent {
        author: author.to_owned(),
        message,
        client_key: client_key.map(str::to_owned),
        enrichments: look_up_enrichments(turn, draft, &drafted.facts, asked)?,
        title,
        asks: true,
        instead_of: Vec::new(),
    })
}

/// The earlier message sent with this key.
pub(crate) fn find_message_by_key(
    turn: &TurnContext<'_>,
    draft: &TurnDraft,
    session: &SessionId,
    key: &str,
) -> Result<Option<MessageId>, TurnStop> {
    let drafted =
        draft.log.iter().find(|row| row.session == *session && row.client_key.as_deref() == Some(key));
    let sequence = match drafted {
        Some(row) => Some(row.sequence),
        None => *turn.ask(MessageByKeyQuestion { session: session.clone(), client_key: key.to_owned() })?,
    };
    Ok(sequence.map(|sequence| session.message_id(sequence, 0)))
}

fn check_message(turn: &TurnContext<'_>, message: &UserMessage) -> Result<(), MailRefusal> {
    let most = turn.memory.runtime.message_max_chars;
    let length: usize = message
        .segments
        .iter()
        .map(|segment| match segment {
            Segment::Text(text) => text.chars().count(),
            Segment::Enrichment(enrichment) => enrichment.summary.chars().count(),
            // A file has limits of its own.
            Segment::File(_) => 0,
        })
        .sum();
    if message.linear_text().trim().is_empty() {
        return Err(MailRefusal::Invalid(saying!("request-message-empty")));
    }
    match length > most {
        true => Err(MailRefusal::Invalid(saying!("request-message-long", length = length, most = most))),
        false => Ok(()),
    }
}
