//! The workspace's calendar: the instants of a period, the day of an instant, and parsing and formatting of instants
//! in the workspace's time zone.
//!
//! - A day begins at the workspace's start hour and ends at the next one, so it may last 23, 24 or 25 hours. If days
//!   begin at 4, an event at 2 in the morning belongs to the previous day. Weeks begin on the workspace's day, months
//!   on the first and years on the first of January, all at the start hour.
//! - A start hour that the clock skips is the instant of the skip; one that occurs twice is the first of the two. A
//!   day that a zone skipped is empty, or lasts until the start hour of the next.
//! - An hour is 60 minutes. Hours are counted from the last full hour on the clock at the reference.
//!
//! It reads no clock: the reference is an argument.
//!
//! ```
//! use entracte_application::calendar::Calendar;
//! use entracte_application::settings::WorkspaceLocale;
//! use entracte_domain::period::Period;
//!
//! let locale = WorkspaceLocale { zone: "Europe/Paris".into(), day_start: 4, ..WorkspaceLocale::default() };
//! let calendar = Calendar::from_locale(&locale);
//! let now = calendar.parse_instant("2026-11-21T02:30").unwrap();
//! let today = calendar.resolve(&Period::relative("0_DAY").unwrap(), now).unwrap();
//! assert_eq!(calendar.format_instant(today.start), "2026-11-20T04:00:00+01:00");
//! assert_eq!(calendar.format_instant(today.end), "2026-11-21T04:00:00+01:00");
//! ```

mod error;
mod instants;

pub(crate) use instants::first_instant_in_zone;
#[cfg(test)]
mod tests;

use entracte_domain::period::{Period, PeriodUnit, RelativePeriod};
use entracte_domain::time::Timestamp;
use jiff::ToSpan as _;
use jiff::civil::{Date, Time, Weekday};
use jiff::tz::TimeZone;

pub use self::error::{CalendarError, describe_period_fault};
use self::instants::instant;
use crate::settings::{WeekDay, WorkspaceLocale};

/// A range of instants, from `start` inclusive to `end` exclusive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CalendarRange {
    /// The first instant of the range.
    pub start: Timestamp,
    /// The first instant after the range.
    pub end: Timestamp,
}

/// A day of the workspace.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CalendarDay {
    /// The date: `2026-11-20`.
    pub date: String,
    /// The range of its instants.
    pub stretch: CalendarRange,
}

/// The day, week, month and year boundaries of a workspace.
#[derive(Clone, Debug)]
pub struct Calendar {
    zone: TimeZone,
    day_start: Time,
    week_start: Weekday,
}

/// The maximum number of days a period is split into: more than ten years.
pub const MOST_DAYS: usize = 4_000;

impl CalendarRange {
    /// Whether the instant is in the range.
    pub fn contains(&self, at: Timestamp) -> bool {
        self.start <= at && at < self.end
    }
}

impl Calendar {
    /// The calendar of these settings. A start hour above 23 is treated as 23; an unknown zone as UTC.
    pub fn from_locale(locale: &WorkspaceLocale) -> Self {
        let hour = i8::try_from(locale.day_start.min(23)).unwrap_or_default();
        Self {
            zone: locale.time_zone(),
            day_start: Time::midnight().with().hour(hour).build().unwrap_or(Time::midnight()),
            week_start: weekday(locale.week_start),
        }
    }

    /// The same calendar on the clocks of another zone; unchanged if the time zone database does not contain it.
    #[must_use]
    pub fn in_zone(&self, zone: &str) -> Self {
        let zone = TimeZone::get(zone).unwrap_or_else(|_| self.zone.clone());
        Self { zone, ..self.clone() }
    }

    /// The instants of the period, relative to `reference` if it is relative.
    ///
    /// # Errors
    /// When it ends before it begins, or lies outside of the years -9999 to 9999.
    pub fn resolve(&self, period: &Period, reference: Timestamp) -> Result<CalendarRange, CalendarError> {
        match *period {
            Period::Absolute { from, until } => {
                Period::between(from, until)?;
                Ok(CalendarRange { start: from, end: until })
            }
            Period::Relative(relative) => self.relative(relative, reference),
        }
    }

    /// The day that contains the instant.
    ///
    /// # Errors
    /// When it lies outside of the calendar.
    pub fn day_containing(&self, at: Timestamp) -> Result<CalendarDay, CalendarError> {
        self.day(self.date_of(at)?)
    }

    /// The instant at which the hour, day, week, month or year that contains `at` began. Outside of the calendar everything
    /// is of one such period.
    pub fn period_start(&self, unit: PeriodUnit, at: Timestamp) -> Timestamp {
        let period = RelativePeriod { offset: 0, unit };
        self.relative(period, at).map_or(Timestamp(0), |range| range.start)
    }

    /// The days that overlap the range, in order; the first and the last are clipped to it, and empty days are
    /// omitted.
    ///
    /// # Errors
    /// When there are more than [`MOST_DAYS`], or the range lies outside of the calendar.
    pub fn days(&self, stretch: CalendarRange) -> Result<Vec<CalendarDay>, CalendarError> {
        let mut days = Vec::new();
        if stretch.end <= stretch.start {
            return Ok(days);
        }
        let mut date = self.date_of(stretch.start)?;
        loop {
            let day = self.day(date)?;
            if day.stretch.start >= stretch.end {
                return Ok(days);
            }
            let start = day.stretch.start.max(stretch.start);
            let end = day.stretch.end.min(stretch.end);
            if start < end {
                days.push(CalendarDay { stretch: CalendarRange { start, end }, ..day });
            }
            if days.len() > MOST_DAYS {
                return Err(CalendarError::TooManyDays { most: MOST_DAYS });
            }
            date = add_span(date, 1.day())?;
        }
    }

    fn relative(&self, period: RelativePeriod, reference: Timestamp) -> Result<CalendarRange, CalendarError> {
        let RelativePeriod { offset, unit } = period;
        if unit == PeriodUnit::Hour {
            return self.hour(offset, reference);
        }
        let date = self.date_of(reference)?;
        let (first, span) = match unit {
            PeriodUnit::Hour | PeriodUnit::Day => (date, 1.day()),
            PeriodUnit::Week => {
                (add_span(date, -i32::from(self.week_start.until(date.weekday())).days())?, 1.week())
            }
            PeriodUnit::Month => (date.first_of_month(), 1.month()),
            PeriodUnit::Year => (date.first_of_year(), 1.year()),
        };
        let times = |count: i64| span.checked_mul(count).map_err(|_| CalendarError::OutOfCalendar);
        let start = self.start_of(add_span(first, times(i64::from(offset))?)?)?;
        let end = self.start_of(add_span(first, times(i64::from(offset) + 1)?)?)?;
        Ok(CalendarRange { start, end })
    }

    fn hour(&self, offset: i32, reference: Timestamp) -> Result<CalendarRange, CalendarError> {
        let ahead = i64::from(self.zone.to_offset(instant(reference)?).seconds()) * MICROS_PER_SECOND;
        let local = reference.0.saturating_add(ahead);
        let full_hour = local.div_euclid(MICROS_PER_HOUR) + i64::from(offset);
        let start = full_hour.saturating_mul(MICROS_PER_HOUR).saturating_sub(ahead);
        let (start, end) = (Timestamp(start), Timestamp(start.saturating_add(MICROS_PER_HOUR)));
        instant(start).and(instant(end))?;
        Ok(CalendarRange { start, end })
    }

    fn day(&self, date: Date) -> Result<CalendarDay, CalendarError> {
        let stretch =
            CalendarRange { start: self.start_of(date)?, end: self.start_of(add_span(date, 1.day())?)? };
        Ok(CalendarDay { date: date.to_string(), stretch })
    }

    /// The last date whose day has begun at the instant. The date on the clock may differ by one: before the start
    /// hour, and where the clock is set back over midnight.
    fn date_of(&self, at: Timestamp) -> Result<Date, CalendarError> {
        let on_the_clock = self.zone.to_datetime(instant(at)?).date();
        for days in [1, 0] {
            let date = add_span(on_the_clock, days.days())?;
            if self.start_of(date)? <= at {
                return Ok(date);
            }
        }
        add_span(on_the_clock, (-1).days())
    }

    fn start_of(&self, date: Date) -> Result<Timestamp, CalendarError> {
        self.first_instant(date.to_datetime(self.day_start))
    }
}

fn add_span(date: Date, span: jiff::Span) -> Result<Date, CalendarError> {
    date.checked_add(span).map_err(|_| CalendarError::OutOfCalendar)
}

fn weekday(day: WeekDay) -> Weekday {
    match day {
        WeekDay::Monday => Weekday::Monday,
        WeekDay::Tuesday => Weekday::Tuesday,
        WeekDay::Wednesday => Weekday::Wednesday,
        WeekDay::Thursday => Weekday::Thursday,
        WeekDay::Friday => Weekday::Friday,
        WeekDay::Saturday => Weekday::Saturday,
        WeekDay::Sunday => Weekday::Sunday,
    }
}

const MICROS_PER_SECOND: i64 = 1_000_000;
const MICROS_PER_HOUR: i64 = 3600 * MICROS_PER_SECOND;
