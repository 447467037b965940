//! Renders the standing of sessions: working, waiting or resting, and until when.

use entracte_adapters_http::shapes::session::SessionItem;
use entracte_application::texts::{LocalizedTexts, say};

use super::stored_words;
use super::time::{TimeFormatter, shown_instant};

/// The standing of a listed session, with its wait for a person or its position in the slot queue.
pub(crate) fn standing(session: &SessionItem, texts: &LocalizedTexts) -> String {
    if session.waiting {
        say!(texts, "standing-waits")
    } else {
        standing_with_position(&session.standing, session.position, texts)
    }
}

/// A standing with its position in the slot queue.
pub(crate) fn standing_with_position(
    standing: &str,
    position: Option<usize>,
    texts: &LocalizedTexts,
) -> String {
    let standing = stored_words::word("standing", standing, texts);
    position.map_or_else(|| standing.clone(), |position| format!("{standing} {position}"))
}

/// The next wake-up of a listed session with its reason, and its messages that wait for the next round; empty without
/// either.
pub(crate) fn next_command<'a>(
    session: &SessionItem,
    texts: &LocalizedTexts,
    dial: impl Into<TimeFormatter<'a>>,
) -> String {
    let woken = session.wake_at.as_deref().zip(session.wake_reason.as_deref());
    let woken = woken.map(|(at, reason)| wake_text(at, reason, texts, dial));
    let messages = messages_wait(session.queued_messages.unwrap_or_default(), texts);
    woken.into_iter().chain(messages).collect::<Vec<String>>().join(", ")
}

/// A note that messages wait for the next round; `None` if there are none.
pub(crate) fn messages_wait(count: usize, texts: &LocalizedTexts) -> Option<String> {
    (count > 0).then(|| say!(texts, "standing-messages-wait", count = count))
}

/// The next wake-up of a session with its reason, as the API has both.
pub(crate) fn wake_text<'a>(
    at: &str,
    reason: &str,
    texts: &LocalizedTexts,
    dial: impl Into<TimeFormatter<'a>>,
) -> String {
    let dial = dial.into();
    let at = shown_instant(at, |at| dial.with_relative_time(at, texts));
    let key = format!("wake-{}", reason.replace('_', "-"));
    // A later version may have other reasons.
    if texts.has(&key) { texts.render(&key, &[("at", at.as_str().into())]) } else { at }
}
