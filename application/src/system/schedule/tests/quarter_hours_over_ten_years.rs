//! Ten zones, ten years, every quarter of an hour: the due instants are compared with the time the clock showed.

use std::str::FromStr;

use croner::Cron;
use entracte_domain::time::{Millis, Timestamp};
use jiff::tz::TimeZone;

use super::super::next_on;
use super::calendar;

/// Zones whose clocks show whole quarters of an hour and change at one, in the ten years from this one on.
const ZONES: [(&str, i16); 10] = [
    ("Africa/Casablanca", 2016),
    ("America/New_York", 2016),
    ("America/Sao_Paulo", 2010),
    ("America/St_Johns", 2016),
    ("Asia/Kathmandu", 2016),
    ("Asia/Tehran", 2014),
    ("Australia/Lord_Howe", 2016),
    ("Europe/Paris", 2016),
    ("Pacific/Apia", 2011),
    ("Pacific/Chatham", 2016),
];

/// An expression, the minutes of a day it names, and the rule for skipped and repeated hours.
type CronExpressionCase = (&'static str, fn(i64) -> bool, ClockChangeRule);

/// The rule for times at a clock change.
#[derive(Clone, Copy)]
enum ClockChangeRule {
    /// A fixed time: due when it is first shown, or skipped.
    Listed,
    /// A wildcard or a step: due whenever it is shown.
    Shown,
}

const HOURLY: CronExpressionCase = ("0 * * * *", |minute| minute % 60 == 0, ClockChangeRule::Shown);
/// Clocks are changed at night.
const AT_NIGHT: CronExpressionCase = ("30 2 * * *", |minute| minute == 150, ClockChangeRule::Listed);
const MIDNIGHT: CronExpressionCase = ("0 0 * * *", |minute| minute == 0, ClockChangeRule::Listed);
const QUARTERS: CronExpressionCase = ("*/15 * * * *", |_| true, ClockChangeRule::Shown);

const QUARTER: i64 = 15;

/// The instants at which the clock showed a named time; for fixed times those at which it first showed or skipped one.
fn seen(
    zone: &TimeZone,
    (start, end): (Timestamp, Timestamp),
    (_, is_named, rule): CronExpressionCase,
) -> Vec<Timestamp> {
    // Minutes on the clock, counted from 1970.
    let clock_at = |at: Timestamp| {
        let offset = zone.to_offset(jiff::Timestamp::from_microsecond(at.0).unwrap());
        (at.0 / 1_000_000 + i64::from(offset.seconds())) / 60
    };
    let mut found = Vec::new();
    // The latest time shown so far.
    let mut latest = clock_at(start);
    let mut at = start.plus(Millis::minutes(QUARTER));
    while at <= end {
        let clock = clock_at(at);
        // Usually one minute; at a skip all skipped ones and the current one; none while times are repeated.
        let mut is_due = false;
        while latest + QUARTER <= clock {
            latest += QUARTER;
            is_due |= is_named(latest % (24 * 60));
        }
        if let ClockChangeRule::Shown = rule {
            is_due = is_named(clock % (24 * 60));
        }
        found.extend(is_due.then_some(at));
        at = at.plus(Millis::minutes(QUARTER));
    }
    found
}

fn compare(named: CronExpressionCase) {
    let expression = named.0;
    let cron = Cron::from_str(expression).unwrap();
    for (name, first) in ZONES {
        let (calendar, zone) = (calendar(name), TimeZone::get(name).unwrap());
        let midnight = |year: i16| calendar.parse_instant(&format!("{year}-01-01")).unwrap();
        let (start, end) = (midnight(first), midnight(first + 10));
        let mut last = start;
        let mut count = 0;
        for expected in seen(&zone, (start, end), named) {
            let found = next_on(&cron, &zone, last).unwrap();
            let told = || format!("{expression} in {name} after {}", calendar.format_instant(last));
            assert_eq!(found, expected, "{}", told());
            (last, count) = (found, count + 1);
        }
        assert!(next_on(&cron, &zone, last).unwrap() > end, "{expression} in {name}");
        assert!(count >= 3650, "{expression} in {name}");
    }
}

#[test]
fn hourly_ten_years_in_ten_zones_none_missing_none_doubled() {
    compare(HOURLY);
}

#[test]
fn daily_schedule_matches_clock_over_ten_years() {
    compare(AT_NIGHT);
    compare(MIDNIGHT);
}

#[test]
fn quarter_hour_schedule_matches_clock_over_ten_years() {
    compare(QUARTERS);
}
