//! Who waits for a slot, and who is before it.

use entracte_application::texts::{Texts, say};
use entracte_application::use_cases::{Ahead, SlotPlace};
use jiff::tz::TimeZone;

use super::text::one_line;
use super::time::day;
use super::words::word;

/// That a session waits for a slot: its place, since when, and who is before it.
pub(crate) fn place(place: &SlotPlace, texts: &Texts, zone: &TimeZone) -> String {
    let (session, since) = (place.session.as_str(), day(place.since, zone));
    if place.ahead.is_empty() {
        return say!(texts, "slot-waits-next", session = session, since = since);
    }
    let ahead: Vec<String> = place.ahead.iter().map(|ahead| self::ahead(ahead, texts, zone)).collect();
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

fn ahead(ahead: &Ahead, texts: &Texts, zone: &TimeZone) -> String {
    say!(
        texts,
        "slot-ahead",
        session = ahead.session.as_str(),
        name = &ahead.name,
        kind = word("session", ahead.kind.word(), texts),
        standing = word("standing", ahead.standing.word(), texts),
        since = day(ahead.since, zone)
    )
}
