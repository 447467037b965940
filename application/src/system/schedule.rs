//! The due times of triggers: croner parses cron expressions, jiff has the clocks of zones.

mod cron_diagnosis;
mod cron_phrases;
mod crontab;
mod interpretation;

pub use interpretation::CronInterpretation;

use std::str::FromStr;

use croner::{Cron, CronComponent};
use entracte_domain::automation::Trigger;
use entracte_domain::time::{Millis, Timestamp};
use jiff::tz::TimeZone;

use crate::calendar::first_instant_in_zone;
use crate::ports::{ScheduleCalculator, ScheduleError};
use crate::texts::Language;

/// The minimum interval.
const SHORTEST: Millis = Millis::seconds(1);

/// Computes schedules by the real calendar.
#[derive(Clone, Copy, Debug, Default)]
pub struct CronScheduleCalculator;

impl ScheduleCalculator for CronScheduleCalculator {
    fn next(&self, trigger: &Trigger, after: Timestamp) -> Result<Option<Timestamp>, ScheduleError> {
        match trigger {
            Trigger::Cron { expression, zone } => next_of_cron(expression, zone, after).map(Some),
            Trigger::Every { interval, anchor } => next_of_interval(*interval, *anchor, after).map(Some),
            Trigger::Once { at } => Ok(Some(*at).filter(|at| *at > after)),
            Trigger::Manual | Trigger::Event => Ok(None),
        }
    }
}

/// A change of a zone's clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ZoneClockChange {
    /// When the clock changes.
    pub at: Timestamp,
    /// The size of the change; negative if it is set back.
    pub by: Millis,
}

impl CronScheduleCalculator {
    /// Describes a cron expression as a sentence.
    ///
    /// # Errors
    /// When it is invalid.
    pub fn describe_cron(expression: &str, language: Language) -> Result<String, ScheduleError> {
        Ok(cron_phrases::describe_cron(&parse_cron(expression)?, language))
    }

    /// The interpretation of a cron expression that people may read differently.
    pub fn interpret_cron(expression: &str) -> CronInterpretation {
        interpretation::interpret_cron(expression)
    }

    /// The expression equivalent to a crontab line of Debian's cron: five fields, or a name such as `@daily`.
    ///
    /// ```
    /// # use entracte_application::system::CronScheduleCalculator;
    /// assert_eq!(CronScheduleCalculator::cron_from_crontab_line("0 0 */2 * 1")?, "0 0 */2 * +1");
    /// # Ok::<(), entracte_application::ports::ScheduleError>(())
    /// ```
    ///
    /// # Errors
    /// When Debian's cron cannot parse it.
    pub fn cron_from_crontab_line(line: &str) -> Result<String, ScheduleError> {
        let line = line.trim();
        let wrong = |fault| ScheduleError::Expression { expression: line.to_owned(), fault };
        let expression = crontab::cron_from_crontab_line(line).map_err(wrong)?;
        // Values have the limits of croner.
        parse_cron(&expression).map_err(|_| wrong(cron_diagnosis::diagnose_cron(line)))?;
        Ok(expression)
    }

    /// The next change of a zone's clock; `None` if it never changes again.
    ///
    /// # Errors
    /// When the zone is unknown.
    pub fn next_clock_change(zone: &str, after: Timestamp) -> Result<Option<ZoneClockChange>, ScheduleError> {
        let zone = parse_zone(zone)?;
        let Ok(start) = jiff::Timestamp::from_microsecond(after.0) else { return Ok(None) };
        let mut offset = zone.to_offset(start);
        // A transition may change the name or the kind of time only, not the clock.
        for change in zone.following(start) {
            let (at, next) = (change.timestamp(), change.offset());
            let seconds = next.seconds() - offset.seconds();
            if seconds != 0 {
                let by = Millis::seconds(i64::from(seconds));
                return Ok(Some(ZoneClockChange { at: Timestamp(at.as_microsecond()), by }));
            }
            offset = next;
        }
        Ok(None)
    }
}

fn parse_cron(expression: &str) -> Result<Cron, ScheduleError> {
    // Croner's error names no field, and is in English.
    Cron::from_str(expression).map_err(|_| ScheduleError::Expression {
        expression: expression.to_owned(),
        fault: cron_diagnosis::diagnose_cron(expression),
    })
}

fn parse_zone(zone: &str) -> Result<TimeZone, ScheduleError> {
    TimeZone::get(zone).map_err(|_| ScheduleError::Zone { zone: zone.to_owned() })
}

fn next_of_interval(
    interval: Millis,
    anchor: Timestamp,
    after: Timestamp,
) -> Result<Timestamp, ScheduleError> {
    if interval < SHORTEST {
        return Err(ScheduleError::Interval { milliseconds: interval.0 });
    }
    if after < anchor {
        return Ok(anchor);
    }
    let step = interval.0.saturating_mul(1000);
    let gone = after.0.saturating_sub(anchor.0) / step;
    Ok(Timestamp(anchor.0.saturating_add(gone.saturating_add(1).saturating_mul(step))))
}

fn next_of_cron(expression: &str, zone: &str, after: Timestamp) -> Result<Timestamp, ScheduleError> {
    let cron = parse_cron(expression)?;
    let zone = parse_zone(zone)?;
    let never = || ScheduleError::Never {
        expression: expression.to_owned(),
        after: jiff::Timestamp::from_microsecond(after.0)
            .map_or_else(|_| after.0.to_string(), |at| at.to_string()),
    };
    next_on(&cron, &zone, after).ok_or_else(never)
}

/// The first instant after `after` that the expression names on the clock of the zone.
fn next_on(cron: &Cron, zone: &TimeZone, after: Timestamp) -> Option<Timestamp> {
    let start = jiff::Timestamp::from_microsecond(after.0).ok()?;
    if names_fixed_times(cron) { next_fixed(cron, zone, start) } else { next_shown(cron, zone, start) }
}

/// Whether hour, minute and second are listed, not given by a `*` or a step.
fn names_fixed_times(cron: &Cron) -> bool {
    let is_listed = |field: &CronComponent| {
        let all = usize::from(field.max - field.min) + 1;
        !field.from_wildcard && field.step == 1 && field.values().len() < all
    };
    let pattern = &cron.pattern;
    [&pattern.seconds, &pattern.minutes, &pattern.hours].into_iter().all(is_listed)
}

/// Fixed times are due once a day, when the clock first shows them. One that the clock skips is due at the skip, so
/// that a daily schedule does not lose the day.
fn next_fixed(cron: &Cron, zone: &TimeZone, start: jiff::Timestamp) -> Option<Timestamp> {
    let after = Timestamp(start.as_microsecond());
    let mut clock = zone.to_datetime(start);
    // Local times before `after` are repeated when the clock is set back; each was due the first time. No clock is
    // set back so far that this takes long.
    loop {
        clock = cron.find_next_occurrence(&clock, false).ok()?;
        let at = first_instant_in_zone(zone, clock)?;
        if at > after {
            return Some(at);
        }
    }
}

/// Wildcards and steps are due at each instant at which the clock shows a named time, in both of two equal hours and
/// never for a skipped time. Between two changes a clock has one offset, so each such range is searched separately.
fn next_shown(cron: &Cron, zone: &TimeZone, start: jiff::Timestamp) -> Option<Timestamp> {
    let (mut from, mut is_change) = (start, false);
    loop {
        let offset = zone.to_offset(from);
        let clock = cron.find_next_occurrence(&offset.to_datetime(from), is_change).ok();
        let found = clock.and_then(|clock| offset.to_timestamp(clock).ok());
        let change = zone.following(from).next().map(|change| change.timestamp());
        match (found, change) {
            (Some(found), Some(change)) if change <= found => from = change,
            (Some(found), _) => return Some(Timestamp(found.as_microsecond())),
            // The last named time of a year may be repeated when the clock is set back.
            (None, Some(change)) if !is_change => from = change,
            (None, _) => return None,
        }
        is_change = true;
    }
}

#[cfg(test)]
mod tests;
