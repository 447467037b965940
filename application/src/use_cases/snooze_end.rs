//! The end of a snooze, from the words of a person. Pure.

use entracte_domain::time::{Millis, Timestamp};
use jiff::civil::{Date, Weekday};

use crate::calendar::{Calendar, first_instant_in_zone};
use crate::duration_text::span;
use crate::settings::{InboxSettings, WorkspaceLocale};

entracte_domain::words! {
    /// An end of a snooze that has a name.
    pub enum SnoozeEnd {
        /// In a few hours (`inbox.snooze_later`).
        Later = "later",
        /// Tomorrow morning (`inbox.snooze_morning`).
        Tomorrow = "tomorrow",
        /// In the morning of the next Monday.
        Monday = "monday",
    }
}

/// Milliseconds of a day.
const DAY: i64 = 24 * 60 * 60 * 1000;
/// The length of `2026-11-20`.
const DATE_LENGTH: usize = 10;

/// The instant that a person names: a [`SnoozeEnd`], a duration (`3h`, `2d`), a date (its morning), or an instant, on the
/// clock of the workspace unless it has an offset. `None` for any other text.
pub(super) fn find_snooze_end(
    text: &str,
    now: Timestamp,
    locale: &WorkspaceLocale,
    settings: &InboxSettings,
) -> Option<Timestamp> {
    let text = text.trim();
    let today = || {
        let now = jiff::Timestamp::from_microsecond(now.0).ok()?;
        Some(locale.time_zone().to_datetime(now).date())
    };
    let morning = |date: Date| morning_of(date, locale, settings);
    match SnoozeEnd::from_word(text) {
        Some(SnoozeEnd::Later) => return Some(now.plus(settings.snooze_later)),
        Some(SnoozeEnd::Tomorrow) => return morning(today()?.tomorrow().ok()?),
        Some(SnoozeEnd::Monday) => return morning(today()?.nth_weekday(1, Weekday::Monday).ok()?),
        None => {}
    }
    if let Some(lasts) = span(text) {
        return Some(now.plus(lasts));
    }
    if text.len() == DATE_LENGTH {
        return morning(text.parse().ok()?);
    }
    Calendar::from_locale(locale).parse_instant(text).ok()
}

/// The morning of a date on the clock of the workspace.
fn morning_of(date: Date, locale: &WorkspaceLocale, settings: &InboxSettings) -> Option<Timestamp> {
    let Millis(morning) = settings.snooze_morning;
    let after_midnight = jiff::SignedDuration::from_millis(morning.clamp(0, DAY - 1));
    let clock = date.to_datetime(jiff::civil::Time::midnight()).checked_add(after_midnight).ok()?;
    first_instant_in_zone(&locale.time_zone(), clock)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn end(text: &str, now: &str) -> Option<String> {
        let locale = WorkspaceLocale { zone: "Europe/Paris".into(), ..WorkspaceLocale::default() };
        let calendar = Calendar::from_locale(&locale);
        let now = calendar.parse_instant(now).unwrap();
        let end = find_snooze_end(text, now, &locale, &InboxSettings::default());
        end.map(|end| calendar.format_instant(end))
    }

    /// Input: what people say on Friday, 27 November 2026, at 23:30 in Paris; expected: the instants on that clock.
    #[test]
    fn words_are_read_on_the_clock_of_the_workspace() {
        for (text, expected) in [
            ("later", "2026-11-28T02:30:00+01:00"),
            ("tomorrow", "2026-11-28T08:00:00+01:00"),
            ("monday", "2026-11-30T08:00:00+01:00"),
            ("90m", "2026-11-28T01:00:00+01:00"),
            ("2026-12-24", "2026-12-24T08:00:00+01:00"),
            ("2026-12-24T17:15", "2026-12-24T17:15:00+01:00"),
            ("2026-12-24T17:15:00Z", "2026-12-24T18:15:00+01:00"),
        ] {
            assert_eq!(end(text, "2026-11-27T23:30").as_deref(), Some(expected), "{text}");
        }
        for text in ["", "soon", "2026-13-01", "3"] {
            assert_eq!(end(text, "2026-11-27T23:30"), None, "{text}");
        }
    }

    /// Input: a Monday, and the eve of the day on which clocks skip an hour; expected: the next Monday, and 8 on the clock.
    #[test]
    fn next_monday_is_never_today() {
        assert_eq!(end("monday", "2026-11-30T07:00").as_deref(), Some("2026-12-07T08:00:00+01:00"));
        assert_eq!(end("tomorrow", "2026-03-28T12:00").as_deref(), Some("2026-03-29T08:00:00+02:00"));
    }
}
