//! Ten zones, ten years, every quarter of an hour: the due instants are compared with the time the clock showed.
//!
//! A schedule of every quarter of an hour is compared around each change of a clock and each end of a month; in the long
//! form, which `.ci/long` runs, on all days.

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
const DAY: Millis = Millis::hours(24);

/// A stretch of time.
type ComparedPeriod = (Timestamp, Timestamp);

fn offset_seconds(zone: &TimeZone, at: Timestamp) -> i64 {
    zone.to_offset(jiff::Timestamp::from_microsecond(at.0).unwrap()).seconds().into()
}

/// The days of a period; the last one may be cut off.
fn days((start, end): ComparedPeriod) -> impl Iterator<Item = ComparedPeriod> {
    let day = move |at: Timestamp| (at, at.plus(DAY).min(end));
    std::iter::successors(Some(start), |at| Some(at.plus(DAY))).take_while(move |at| *at < end).map(day)
}

/// The days of a period on which a clock changes, those beside them, and the first and last days of each month. Days that
/// follow each other are one period.
fn days_of_change(zone: &TimeZone, whole: ComparedPeriod) -> Vec<ComparedPeriod> {
    let offset_at = |at: Timestamp| offset_seconds(zone, at);
    let day_of_month =
        |at: Timestamp| zone.to_datetime(jiff::Timestamp::from_microsecond(at.0).unwrap()).day();
    let mut found: Vec<ComparedPeriod> = Vec::new();
    for (start, end) in days(whole) {
        let before = Timestamp(start.0 - (end.0 - start.0));
        let is_beside_change = offset_at(before) != offset_at(end.plus(DAY));
        if !is_beside_change && day_of_month(start) > 1 && day_of_month(end) > 1 {
            continue;
        }
        match found.last_mut().filter(|last| last.1 == start) {
            Some(last) => last.1 = end,
            None => found.push((start, end)),
        }
    }
    found
}

/// The instants at which the clock showed a named time; for fixed times those at which it first showed or skipped one.
fn seen(
    zone: &TimeZone,
    (start, end): ComparedPeriod,
    (_, is_named, rule): CronExpressionCase,
) -> Vec<Timestamp> {
    // Minutes on the clock, counted from 1970.
    let clock_at = |at: Timestamp, offset: i64| (at.0 / 1_000_000 + offset) / 60;
    let mut found = Vec::new();
    // The latest time shown so far.
    let mut latest = clock_at(start, offset_seconds(zone, start));
    for (morning, evening) in days((start, end)) {
        // No clock changes twice within a day: equal offsets at its ends are those of the whole day.
        let offset = offset_seconds(zone, morning);
        let is_changed = offset_seconds(zone, evening) != offset;
        let mut at = morning.plus(Millis::minutes(QUARTER));
        while at <= evening {
            let clock = clock_at(at, if is_changed { offset_seconds(zone, at) } else { offset });
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
    }
    found
}

/// The parts of a period in which a schedule is compared.
type PeriodChoice = fn(&TimeZone, ComparedPeriod) -> Vec<ComparedPeriod>;

fn all_days(_: &TimeZone, whole: ComparedPeriod) -> Vec<ComparedPeriod> {
    vec![whole]
}

fn compare(named: CronExpressionCase, choose: PeriodChoice) {
    let expression = named.0;
    let cron = Cron::from_str(expression).unwrap();
    for (name, first) in ZONES {
        let (calendar, zone) = (calendar(name), TimeZone::get(name).unwrap());
        let midnight = |year: i16| calendar.parse_instant(&format!("{year}-01-01")).unwrap();
        let mut count = 0;
        for (start, end) in choose(&zone, (midnight(first), midnight(first + 10))) {
            let mut last = start;
            for expected in seen(&zone, (start, end), named) {
                let found = next_on(&cron, &zone, last).unwrap();
                let told = || format!("{expression} in {name} after {}", calendar.format_instant(last));
                assert_eq!(found, expected, "{}", told());
                (last, count) = (found, count + 1);
            }
            assert!(next_on(&cron, &zone, last).unwrap() > end, "{expression} in {name}");
        }
        assert!(count >= 3650, "{expression} in {name}");
    }
}

#[test]
fn hourly_ten_years_in_ten_zones_none_missing_none_doubled() {
    compare(HOURLY, all_days);
}

#[test]
fn daily_schedule_matches_clock_over_ten_years() {
    compare(AT_NIGHT, all_days);
    compare(MIDNIGHT, all_days);
}

#[test]
fn quarter_hour_schedule_matches_clock_over_ten_years() {
    compare(QUARTERS, days_of_change);
}

#[test]
#[ignore = "takes a minute; `.ci/long` runs it"]
fn quarter_hour_schedule_matches_clock_on_all_days_of_ten_years() {
    compare(QUARTERS, all_days);
}
