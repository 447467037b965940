//! Periods in zones whose clocks change: input, then the expected instants.

mod days;
mod golden;
mod instants;

use super::Calendar;
use crate::settings::{WeekDay, WorkspaceLocale};

/// The calendar of a zone with this start hour and first day of the week.
fn calendar(zone: &str, day_start: u8, week_start: WeekDay) -> Calendar {
    Calendar::from_locale(&WorkspaceLocale {
        zone: zone.into(),
        day_start,
        week_start,
        ..WorkspaceLocale::default()
    })
}
