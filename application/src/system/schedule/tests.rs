//! The due times of triggers, over ten years of clock changes.

mod quarter_hours_over_ten_years;

use entracte_domain::automation::Trigger;
use entracte_domain::time::{Millis, Timestamp};
use jiff::tz::TimeZone;

use super::CronScheduleCalculator;
use crate::calendar::Calendar;
use crate::ports::{ScheduleCalculator, ScheduleError};
use crate::settings::WorkspaceLocale;
use crate::texts::{Language, LocalizedTexts};

fn calendar(zone: &str) -> Calendar {
    Calendar::from_locale(&WorkspaceLocale { zone: zone.into(), ..WorkspaceLocale::default() })
}

fn cron(expression: &str, zone: &str) -> Trigger {
    Trigger::Cron { expression: expression.into(), zone: zone.into() }
}

/// The instants of a trigger after `after` and up to `until`.
fn between(trigger: &Trigger, after: Timestamp, until: Timestamp) -> Vec<Timestamp> {
    let next = |after: &Timestamp| CronScheduleCalculator.next(trigger, *after).unwrap();
    let mut found = Vec::new();
    let mut last = after;
    while let Some(at) = next(&last).filter(|at| *at <= until) {
        assert!(at > last, "{at:?} does not come after {last:?}");
        found.push(at);
        last = at;
    }
    found
}

/// The next instants, as the clock of the zone shows them.
fn shown(expression: &str, zone: &str, after: &str, count: usize) -> Vec<String> {
    let calendar = calendar(zone);
    let mut last = calendar.parse_instant(after).unwrap();
    let mut next = || {
        last = CronScheduleCalculator.next(&cron(expression, zone), last).unwrap().unwrap();
        calendar.format_instant(last)
    };
    (0..count).map(|_| next()).collect()
}

/// For each clock change in ten years from `first` on: the due instants from a day before to a day after it.
fn around_changes(zone: &str, expression: &str, first: i16) -> String {
    let (calendar, clocks) = (calendar(zone), TimeZone::get(zone).unwrap());
    let start = calendar.parse_instant(&format!("{first}-01-01")).unwrap();
    let end = calendar.parse_instant(&format!("{}-01-01", first + 10)).unwrap();
    let changes = clocks.following(jiff::Timestamp::from_microsecond(start.0).unwrap());
    let mut lines = vec![format!("{zone} | {expression}")];
    for change in changes.map(|change| Timestamp(change.timestamp().as_microsecond())) {
        if change >= end {
            break;
        }
        let (before, after) = (change.plus(Millis::hours(-24)), change.plus(Millis::hours(24)));
        let due = between(&cron(expression, zone), before, after);
        let due: Vec<String> = due.iter().map(|at| calendar.format_instant(*at)).collect();
        lines.push(format!("  change at {}: {}", calendar.format_instant(change), due.join("  ")));
    }
    lines.join("\n")
}

#[test]
fn occurrences() {
    let tables = [
        around_changes("Europe/Paris", "30 2 * * *", 2016),
        around_changes("America/New_York", "30 1,2 * * *", 2016),
        around_changes("Australia/Lord_Howe", "45 1 * * *", 2016),
        around_changes("Australia/Lord_Howe", "15 2 * * *", 2016),
        around_changes("Pacific/Apia", "30 3 * * *", 2011),
        around_changes("Africa/Casablanca", "30 2 * * *", 2016),
        around_changes("America/Sao_Paulo", "30 0,23 * * *", 2010),
    ];
    insta::assert_snapshot!(tables.join("\n\n"));
}

#[test]
fn skipped_time_runs_after_gap_repeated_once() {
    let cases: [(&str, &str, &str, &[&str]); 4] = [
        (
            "Europe/Paris",
            "30 2 * * *",
            "2026-03-28T12:00",
            &["2026-03-29T03:00:00+02:00", "2026-03-30T02:30:00+02:00"],
        ),
        (
            "Europe/Paris",
            "30 2 * * *",
            "2026-10-24T12:00",
            &["2026-10-25T02:30:00+02:00", "2026-10-26T02:30:00+01:00"],
        ),
        // Half an hour.
        (
            "Australia/Lord_Howe",
            "15 2 * * *",
            "2026-10-03T12:00",
            &["2026-10-04T02:30:00+11:00", "2026-10-05T02:15:00+11:00"],
        ),
        // A day that was skipped.
        (
            "Pacific/Apia",
            "0 9 * * *",
            "2011-12-29T12:00",
            &["2011-12-31T00:00:00+14:00", "2011-12-31T09:00:00+14:00"],
        ),
    ];
    for (zone, expression, after, expected) in cases {
        assert_eq!(shown(expression, zone, after, 2), expected, "{expression} in {zone} after {after}");
    }
    // In the repeated hour: the shown time was due in the first one.
    let second = "2026-10-25T02:10:00+01:00";
    assert_eq!(shown("30 2,3 * * *", "Europe/Paris", second, 1), ["2026-10-25T03:30:00+01:00"]);
}

/// The instants due after an instant: zone, expression, after, the next instants.
type CronScheduleCase = (&'static str, &'static str, &'static str, &'static [&'static str]);

#[test]
fn cron_runs_only_instants_that_exist() {
    let cases: [CronScheduleCase; 19] = [
        // Spring: the clock jumps from 2:00 to 3:00. Wildcards and steps have nothing in the gap.
        (
            "Europe/Paris",
            "30 * 29 3 *",
            "2026-03-29T01:00",
            &["2026-03-29T01:30:00+01:00", "2026-03-29T03:30:00+02:00"],
        ),
        (
            "Europe/Paris",
            "30 * 28 3 *",
            "2027-03-28T01:00",
            &["2027-03-28T01:30:00+01:00", "2027-03-28T03:30:00+02:00"],
        ),
        (
            "Europe/Paris",
            "*/20 * * * *",
            "2026-03-29T01:30",
            &["2026-03-29T01:40:00+01:00", "2026-03-29T03:00:00+02:00", "2026-03-29T03:20:00+02:00"],
        ),
        (
            "Europe/Paris",
            "*/20 2 * * *",
            "2026-03-28T02:30",
            &["2026-03-28T02:40:00+01:00", "2026-03-30T02:00:00+02:00"],
        ),
        (
            "Europe/Paris",
            "15 */2 * * *",
            "2026-03-29T00:00",
            &["2026-03-29T00:15:00+01:00", "2026-03-29T04:15:00+02:00"],
        ),
        // A range of all values is a wildcard, and so is a step of one.
        (
            "Europe/Paris",
            "30 0-23 * * *",
            "2026-03-29T01:00",
            &["2026-03-29T01:30:00+01:00", "2026-03-29T03:30:00+02:00"],
        ),
        (
            "Europe/Paris",
            "30 */1 * * *",
            "2026-03-29T01:00",
            &["2026-03-29T01:30:00+01:00", "2026-03-29T03:30:00+02:00"],
        ),
        (
            "Europe/Paris",
            "* 30 2 * * *",
            "2026-03-28T02:30:58",
            &["2026-03-28T02:30:59+01:00", "2026-03-30T02:30:00+02:00"],
        ),
        // Skipped fixed times are due at the first instant after the gap, all together.
        (
            "Europe/Paris",
            "0,30 2 * * *",
            "2026-03-29T01:00",
            &["2026-03-29T03:00:00+02:00", "2026-03-30T02:00:00+02:00"],
        ),
        (
            "America/New_York",
            "30 * * * *",
            "2026-03-08T01:00",
            &["2026-03-08T01:30:00-05:00", "2026-03-08T03:30:00-04:00"],
        ),
        (
            "America/New_York",
            "30 2 * * *",
            "2026-03-08T01:00",
            &["2026-03-08T03:00:00-04:00", "2026-03-09T02:30:00-04:00"],
        ),
        // Half an hour: from 2:00 to 2:30.
        (
            "Australia/Lord_Howe",
            "*/15 * * * *",
            "2026-10-04T01:40",
            &["2026-10-04T01:45:00+10:30", "2026-10-04T02:30:00+11:00", "2026-10-04T02:45:00+11:00"],
        ),
        // A whole day that the clock never showed.
        (
            "Pacific/Apia",
            "0 */12 * * *",
            "2011-12-29T06:00",
            &["2011-12-29T12:00:00-10:00", "2011-12-31T00:00:00+14:00", "2011-12-31T12:00:00+14:00"],
        ),
        ("Pacific/Apia", "0 * 30 12 *", "2011-12-29T06:00", &["2012-12-30T00:00:00+14:00"]),
        // Autumn: in the repeated hour a wildcard has all instants, and a fixed time one.
        (
            "Europe/Paris",
            "30 * * * *",
            "2026-10-25T02:00:00+02:00",
            &["2026-10-25T02:30:00+02:00", "2026-10-25T02:30:00+01:00", "2026-10-25T03:30:00+01:00"],
        ),
        (
            "Europe/Paris",
            "0 */30 2 25 10 * 2026",
            "2026-10-25T02:10:00+02:00",
            &["2026-10-25T02:30:00+02:00", "2026-10-25T02:00:00+01:00", "2026-10-25T02:30:00+01:00"],
        ),
        (
            "America/New_York",
            "30 * * * *",
            "2026-11-01T01:00:00-04:00",
            &["2026-11-01T01:30:00-04:00", "2026-11-01T01:30:00-05:00", "2026-11-01T02:30:00-05:00"],
        ),
        (
            "America/New_York",
            "30 1 * * *",
            "2026-11-01T01:00:00-04:00",
            &["2026-11-01T01:30:00-04:00", "2026-11-02T01:30:00-05:00"],
        ),
        (
            "Australia/Lord_Howe",
            "*/15 * * * *",
            "2026-04-05T01:40:00+11:00",
            &["2026-04-05T01:45:00+11:00", "2026-04-05T01:30:00+10:30", "2026-04-05T01:45:00+10:30"],
        ),
    ];
    for (zone, expression, after, expected) in cases {
        let due = shown(expression, zone, after, expected.len());
        assert_eq!(due, expected, "{expression} in {zone} after {after}");
    }
}

#[test]
fn impossible_date_is_error_rare_date_is_not() {
    let next = |expression: &str, after: &str| {
        let after = calendar("UTC").parse_instant(after).unwrap();
        CronScheduleCalculator.next(&cron(expression, "UTC"), after)
    };
    for expression in ["0 0 30 2 *", "0 0 31 4 *", "0 0 31 2,4,6,9,11 *"] {
        let error = next(expression, "2026-01-01").unwrap_err();
        let expected = format!("“{expression}” never occurs after 2026-01-01T00:00:00Z; write another one");
        assert_eq!(error.to_string(), expected);
    }
    let leap = |after: &str| calendar("UTC").format_instant(next("0 9 29 2 *", after).unwrap().unwrap());
    assert_eq!(leap("2026-01-01"), "2028-02-29T09:00:00Z");
    assert_eq!(leap("2096-03-01"), "2104-02-29T09:00:00Z", "2100 is no leap year");
}

#[test]
fn invalid_expression_is_refused_with_field() {
    let next =
        |expression: &str, zone: &str| CronScheduleCalculator.next(&cron(expression, zone), Timestamp(0));
    for expression in ["", "61 * * * *", "* * * *", "* * * * * * * *", "hourly"] {
        let error = next(expression, "UTC").unwrap_err();
        assert!(matches!(&error, ScheduleError::Expression { expression: given, .. } if given == expression));
    }
    let faults = [
        ("", "it is empty; write five fields"),
        ("* * * *", "it has 4 fields, and five are needed"),
        ("hourly", "it has one field, and five are needed"),
        ("61 * * * *", "the minute “61” is not valid; use 0 to 59"),
        ("0,15,75 * * * *", "the minute “75” is not valid; use 0 to 59"),
        ("0 24 * * *", "the hour “24” is not valid; use 0 to 23"),
        ("0 9 32 * *", "the day of the month “32” is not valid; use 1 to 31"),
        ("0 9 * 13 *", "the month “13” is not valid; use 1 to 12"),
        ("0 9 * * noon", "the weekday “noon” is not valid; use MON to SUN"),
        ("77 0 9 * * 1", "the second “77” is not valid; use 0 to 59"),
        ("0 0 9 * * 1 next", "the year “next” is not valid"),
    ];
    for (expression, fault) in faults {
        let told = next(expression, "UTC").unwrap_err().to_string();
        let expected = format!("“{expression}” is not a valid cron expression: {fault}");
        assert!(told.starts_with(&expected), "{told}");
    }
    let french =
        next("0 24 * * *", "UTC").unwrap_err().saying().render(LocalizedTexts::for_language(Language::Fr));
    assert!(french.contains("valide\u{a0}: l’heure «\u{a0}24\u{a0}» n’est pas valide"), "{french}");
    let error = next("* * * * *", "Mars").unwrap_err();
    assert_eq!(error, ScheduleError::Zone { zone: "Mars".into() });
}

#[test]
fn seconds_come_first_where_there_are_six_fields() {
    let expected = ["2026-11-20T12:00:15Z", "2026-11-20T12:00:45Z", "2026-11-20T12:01:15Z"];
    assert_eq!(shown("15,45 * * * * *", "UTC", "2026-11-20T12:00", 3), expected);
}

#[test]
fn an_interval_does_not_drift() {
    let noon = Timestamp(1_795_176_000_000_000);
    let every = |interval| Trigger::Every { interval, anchor: noon };
    let cases = [
        (Millis::minutes(15), noon.plus(Millis::hours(-5)), noon),
        (Millis::minutes(15), noon, noon.plus(Millis::minutes(15))),
        (Millis::minutes(15), noon.plus(Millis(1)), noon.plus(Millis::minutes(15))),
        // Long after the anchor, intervals are still counted from it.
        (Millis::minutes(7), noon.plus(Millis::minutes(7_000_000)), noon.plus(Millis::minutes(7_000_007))),
    ];
    for (interval, after, expected) in cases {
        assert_eq!(
            CronScheduleCalculator.next(&every(interval), after),
            Ok(Some(expected)),
            "{interval:?} {after:?}"
        );
    }
    let error = CronScheduleCalculator.next(&every(Millis(999)), noon).unwrap_err();
    assert_eq!(error, ScheduleError::Interval { milliseconds: 999 });
}

#[test]
fn trigger_without_schedule_has_no_instants() {
    let next = |trigger: Trigger| CronScheduleCalculator.next(&trigger, Timestamp(7));
    assert_eq!(next(Trigger::Manual), Ok(None));
    assert_eq!(next(Trigger::Event), Ok(None));
    assert_eq!(next(Trigger::Once { at: Timestamp(8) }), Ok(Some(Timestamp(8))));
    assert_eq!(next(Trigger::Once { at: Timestamp(7) }), Ok(None));
}

/// Input: the days of February 2026 that a step beside a weekday names; expected: those that match either field for
/// croner, those that match both for Debian's cron.
#[test]
fn a_crontab_names_the_days_that_debian_means() {
    let calendar = calendar("UTC");
    let (from, until) = (
        calendar.parse_instant("2026-01-31T12:00").unwrap(),
        calendar.parse_instant("2026-02-28T12:00").unwrap(),
    );
    let days = |expression: &str| between(&cron(expression, "UTC"), from, until).len();
    assert_eq!(days("0 0 */2 * 1"), 16);
    assert_eq!(days(&CronScheduleCalculator::cron_from_crontab_line("0 0 */2 * 1").unwrap()), 2);
    assert_eq!(
        days(&CronScheduleCalculator::cron_from_crontab_line("0 0 13 * 5").unwrap()),
        4,
        "the 13th is a Friday"
    );
    assert_eq!(days(&CronScheduleCalculator::cron_from_crontab_line("@daily").unwrap()), 28);
    let wrong = |line: &str| CronScheduleCalculator::cron_from_crontab_line(line).unwrap_err().to_string();
    assert!(wrong("@reboot").contains("@reboot"), "{}", wrong("@reboot"));
    assert!(wrong("61 * * * *").contains("minute “61”"), "{}", wrong("61 * * * *"));
}
