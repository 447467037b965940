//! Renders a session's position in the slot queue.

use entracte_adapters_http::shapes::session::{AheadShape, QueueShape};
use entracte_application::texts::{LocalizedTexts, say};

use super::stored_words::word;
use super::text::one_line;
use super::time::{TimeFormatter, shown_instant};

/// A session's wait for a slot: its position, its start, and the sessions ahead.
pub(crate) fn place<'a>(
    session: &str,
    place: &QueueShape,
    texts: &LocalizedTexts,
    dial: impl Into<TimeFormatter<'a>>,
) -> String {
    let dial = dial.into();
    let since = shown(place.since.as_deref().unwrap_or_default(), texts, dial);
    if place.ahead.is_empty() {
        return say!(texts, "slot-waits-next", session = session, since = since);
    }
    let ahead: Vec<String> = place.ahead.iter().map(|ahead| self::ahead(ahead, texts, dial)).collect();
    one_line(&say!(
        texts,
        "slot-waits",
        session = session,
        position = place.position.unwrap_or_default(),
        since = since,
        ahead = ahead.join(", ")
    ))
}

fn ahead(ahead: &AheadShape, texts: &LocalizedTexts, dial: TimeFormatter<'_>) -> String {
    say!(
        texts,
        "slot-ahead",
        session = ahead.session.as_str(),
        name = &ahead.name,
        kind = word("session", &ahead.kind, texts),
        standing = word("standing", &ahead.standing, texts),
        since = shown(&ahead.since, texts, dial)
    )
}

fn shown(at: &str, texts: &LocalizedTexts, dial: TimeFormatter<'_>) -> String {
    shown_instant(at, |at| dial.with_relative_time(at, texts))
}
