//! Periods in zones whose clocks change: input, then the expected instants.

mod days;
mod golden;
mod instants;

use super::Calendar;
use crate::settings::{Locale, WeekDay};

/// The calendar of a zone whose days begin at an hour and whose weeks begin on a day.
fn calendar(zone: &str, day_start: u8, week_start: WeekDay) -> Calendar {
    Calendar::of(&Locale { zone: zone.into(), day_start, week_start, ..Locale::default() })
}
