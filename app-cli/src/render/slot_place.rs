//! Renders a session's position in the slot queue.

use entracte_application::texts::{LocalizedTexts, say};
use entracte_application::use_cases::{QueuePosition, QueuePredecessor};

use super::stored_words::word;
use super::text::one_line;
use super::time::TimeFormatter;

/// A session's wait for a slot: its position, its start, and the sessions ahead.
pub(crate) fn place<'a>(
    place: &QueuePosition,
    texts: &LocalizedTexts,
    dial: impl Into<TimeFormatter<'a>>,
) -> String {
    let dial = dial.into();
    let (session, since) = (place.session.as_str(), dial.with_relative_time(place.since, texts));
    if place.ahead.is_empty() {
        return say!(texts, "slot-waits-next", session = session, since = since);
    }
    let ahead: Vec<String> = place.ahead.iter().map(|ahead| self::ahead(ahead, texts, dial)).collect();
    let position = place.position;
    one_line(&say!(
        texts,
        "slot-waits",
        session = session,
        position = position,
        since = since,
        ahead = ahead.join(", ")
    ))
}

fn ahead(ahead: &QueuePredecessor, texts: &LocalizedTexts, dial: TimeFormatter<'_>) -> String {
    say!(
        texts,
        "slot-ahead",
        session = ahead.session.as_str(),
        name = &ahead.name,
        kind = word("session", ahead.kind.word(), texts),
        standing = word("standing", ahead.standing.word(), texts),
        since = dial.with_relative_time(ahead.since, texts)
    )
}
