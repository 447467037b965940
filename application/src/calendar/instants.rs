//! Parsing and formatting of instants, in the workspace's zone unless the text has an offset.

use entracte_domain::time::Timestamp;
use jiff::civil::{Date, DateTime};
use jiff::tz::{AmbiguousOffset, TimeZone};

use super::{Calendar, CalendarError};

impl Calendar {
    /// Parses the instant a text names: `2026-11-20T08:30:00Z`, with any offset; `2026-11-20T08:30`, on the
    /// workspace's clock; `2026-11-20`, the start of that day of the workspace. A local time that occurs twice is the
    /// first of the two; one that the clock skips is the instant of the skip.
    ///
    /// # Errors
    /// When the text names no instant.
    pub fn parse_instant(&self, text: &str) -> Result<Timestamp, CalendarError> {
        let text = text.trim();
        if let Ok(instant) = text.parse::<jiff::Timestamp>() {
            return Ok(Timestamp(instant.as_microsecond()));
        }
        let no_instant = || CalendarError::NoInstant { given: text.to_owned() };
        if text.len() == DATE_LENGTH {
            return self.start_of(text.parse::<Date>().map_err(|_| no_instant())?);
        }
        self.first_instant(text.parse::<DateTime>().map_err(|_| no_instant())?)
    }

    /// Formats as RFC 3339, on the workspace's clock: `2026-11-20T08:30:00+01:00`; `Z` for the offset 0.
    pub fn format_instant(&self, at: Timestamp) -> String {
        let Ok(instant) = instant(at) else { return beyond(at) };
        let offset = self.zone.to_offset(instant);
        if offset.is_zero() { instant.to_string() } else { instant.display_with_offset(offset).to_string() }
    }

    /// Formats for people: the day, with the time and the zone's short name unless it is midnight on the workspace's
    /// clock.
    pub fn format_for_people(&self, at: Timestamp) -> String {
        let Ok(instant) = instant(at) else { return beyond(at) };
        let here = instant.to_zoned(self.zone.clone());
        let midnight = here.time() == jiff::civil::Time::midnight();
        here.strftime(if midnight { "%Y-%m-%d" } else { "%Y-%m-%d %H:%M %Z" }).to_string()
    }

    /// The first instant at which the clock shows this time or a later one.
    pub(super) fn first_instant(&self, clock: DateTime) -> Result<Timestamp, CalendarError> {
        first_instant_in_zone(&self.zone, clock).ok_or(CalendarError::OutOfCalendar)
    }
}

/// The first instant at which the clock of a zone shows this time or, if it skips it, a later one; `None` outside of
/// the supported years.
pub(crate) fn first_instant_in_zone(zone: &TimeZone, clock: DateTime) -> Option<Timestamp> {
    let instant = match zone.to_ambiguous_timestamp(clock).offset() {
        AmbiguousOffset::Unambiguous { offset } => offset.to_timestamp(clock).ok()?,
        AmbiguousOffset::Fold { before, .. } => before.to_timestamp(clock).ok()?,
        AmbiguousOffset::Gap { after, .. } => {
            let short_of_it = after.to_timestamp(clock).ok()?;
            zone.following(short_of_it).next().map_or(short_of_it, |change| change.timestamp())
        }
    };
    Some(Timestamp(instant.as_microsecond()))
}

pub(super) fn instant(at: Timestamp) -> Result<jiff::Timestamp, CalendarError> {
    jiff::Timestamp::from_microsecond(at.0).map_err(|_| CalendarError::OutOfCalendar)
}

/// Formats an instant outside of the calendar as a number; such instants cannot be parsed.
fn beyond(at: Timestamp) -> String {
    format!("{} µs", at.0)
}

/// The length of `2026-11-20` in bytes.
const DATE_LENGTH: usize = 10;
