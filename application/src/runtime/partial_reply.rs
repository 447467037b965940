//! Replies that the model did not end itself: cut by the output limit, paused, ended for an unknown reason, or stopped by a
//! person.

use entracte_domain::id::RoundAttempt;
use entracte_domain::message::AiMessage;
use entracte_domain::session::{Dialect, StoppedReply};
use entracte_domain::value::JsonValue;

use super::pre_text::PreTextDecoder;
use crate::ports::{ModelReply, ReplyEnd};

/// How the reply ends for the session. A paused reply that requests calls continues with their results.
pub(super) fn reply_end(reply: &ModelReply) -> ReplyEnd {
    match &reply.end {
        ReplyEnd::Paused if !reply.calls.is_empty() => ReplyEnd::Done,
        end => end.clone(),
    }
}

/// The text of a reply that the model did not end itself; none of its calls runs.
pub(super) fn partial_message(dialect: Dialect, reply: &ModelReply) -> AiMessage {
    let pre_text = match dialect {
        Dialect::Envelope => PreTextDecoder::default().push(&reply.text),
        Dialect::Tools => reply.text.clone(),
    };
    AiMessage { pre_text, original: reply.text.clone(), ..AiMessage::default() }
}

/// The reply of a model call that a person stops, from the text that was shown; `None` if it is blank.
pub(super) fn stopped_reply(dialect: Dialect, number: RoundAttempt, shown: &str) -> Option<StoppedReply> {
    let original = match dialect {
        Dialect::Envelope => JsonValue::from([("pre_text", JsonValue::from(shown))]).to_json(),
        Dialect::Tools => shown.to_owned(),
    };
    let RoundAttempt { round, attempt } = number;
    (!shown.trim().is_empty()).then(|| StoppedReply { round, attempt, text: shown.to_owned(), original })
}
