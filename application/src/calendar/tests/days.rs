//! The day of an instant, and the days of a range.

use super::calendar;
use crate::calendar::{Calendar, CalendarError, CalendarRange, MOST_DAYS};
use crate::settings::WeekDay::Monday;

fn stretch(calendar: &Calendar, start: &str, end: &str) -> CalendarRange {
    CalendarRange { start: calendar.parse_instant(start).unwrap(), end: calendar.parse_instant(end).unwrap() }
}

#[test]
fn instant_belongs_to_day_that_has_begun() {
    let cases = [
        ("Europe/Paris", 0, "2026-11-20T00:00", "2026-11-20"),
        ("Europe/Paris", 4, "2026-11-20T03:59", "2026-11-19"),
        ("Europe/Paris", 4, "2026-11-20T04:00", "2026-11-20"),
        ("Europe/Paris", 2, "2026-03-29T03:00", "2026-03-29"),
        ("Europe/Paris", 2, "2026-10-25T02:00:00+01:00", "2026-10-25"),
        ("Pacific/Apia", 0, "2011-12-31T00:00", "2011-12-31"),
        ("Pacific/Apia", 4, "2011-12-31T02:00", "2011-12-30"),
        // St. John's went back from 0:01 to 23:01 of the previous day, which does not begin again.
        ("America/St_Johns", 0, "2010-11-06T23:30:00-02:30", "2010-11-06"),
        ("America/St_Johns", 0, "2010-11-06T23:30:00-03:30", "2010-11-07"),
    ];
    for (zone, day_start, at, expected) in cases {
        let calendar = calendar(zone, day_start, Monday);
        let day = calendar.day_containing(calendar.parse_instant(at).unwrap()).unwrap();
        assert_eq!(day.date, expected, "{at} in {zone}, days from {day_start} h");
        assert!(day.stretch.contains(calendar.parse_instant(at).unwrap()), "{at} in {zone}");
    }
}

#[test]
fn days_of_range_are_clipped_to_it() {
    let calendar = calendar("Europe/Paris", 4, Monday);
    let days = calendar.days(stretch(&calendar, "2026-10-24T12:00", "2026-10-26T05:00")).unwrap();
    let shown: Vec<String> = days
        .iter()
        .map(|day| {
            format!(
                "{}: {} {}",
                day.date,
                calendar.format_instant(day.stretch.start),
                calendar.format_instant(day.stretch.end)
            )
        })
        .collect();
    assert_eq!(
        shown,
        [
            "2026-10-24: 2026-10-24T12:00:00+02:00 2026-10-25T04:00:00+01:00",
            "2026-10-25: 2026-10-25T04:00:00+01:00 2026-10-26T04:00:00+01:00",
            "2026-10-26: 2026-10-26T04:00:00+01:00 2026-10-26T05:00:00+01:00",
        ]
    );
}

#[test]
fn skipped_day_is_omitted() {
    let calendar = calendar("Pacific/Apia", 0, Monday);
    let days = calendar.days(stretch(&calendar, "2011-12-29T00:00", "2012-01-01T00:00")).unwrap();
    let dates: Vec<&str> = days.iter().map(|day| day.date.as_str()).collect();
    assert_eq!(dates, ["2011-12-29", "2011-12-31"]);
    assert_eq!(calendar.days(stretch(&calendar, "2012-01-01", "2012-01-01")), Ok(Vec::new()));
}

#[test]
fn too_many_days_are_refused() {
    let calendar = calendar("UTC", 0, Monday);
    let years = calendar.days(stretch(&calendar, "2000-01-01", "2030-01-01"));
    assert_eq!(years, Err(CalendarError::TooManyDays { most: MOST_DAYS }));
}
