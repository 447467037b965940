//! Periods in zones whose clocks change: input, then the expected instants.

mod days;
mod golden;
mod instants;

use super::Calendar;
use crate::settings::{WeekDay, WorkspaceLocale};

/// The calendar of a zone whose days begin at an hour and whose weeks begin on a day.
fn calendar(zone: &str, day_start: u8, week_start: WeekDay) -> Calendar {
    Calendar::from_locale(&WorkspaceLocale {
        zone: zone.into(),
        day_start,
        week_start,
        ..WorkspaceLocale::default()
    })
}
