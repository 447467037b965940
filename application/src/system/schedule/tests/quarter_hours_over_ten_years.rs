//! Ten zones, ten years, each quarter of an hour looked at: what is due is compared with what the clock showed.

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

/// An expression, the minutes of a day that it names, and the rule for hours that are left out or come twice.
type CronExpressionCase = (&'static str, fn(i64) -> bool, ClockChangeRule);

/// What of a change of time counts.
#[derive(Clone, Copy)]
enum ClockChangeRule {
    /// A time that is listed: due where it is shown first or jumped over.
    Listed,
    /// A wildcard or a step: due whenever it is shown.
    Shown,
}

const HOURLY: CronExpressionCase = ("0 * * * *", |minute| minute % 60 == 0, ClockChangeRule::Shown);
/// Night is when clocks are changed.
const AT_NIGHT: CronExpressionCase = ("30 2 * * *", |minute| minute == 150, ClockChangeRule::Listed);
const MIDNIGHT: CronExpressionCase = ("0 0 * * *", |minute| minute == 0, ClockChangeRule::Listed);
const QUARTERS: CronExpressionCase = ("*/15 * * * *", |_| true, ClockChangeRule::Shown);

const QUARTER: i64 = 15;

/// What the clock showed: the instants at which it showed a time that is named, or, where times are listed, showed one
/// for the first time or jumped over it.
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
    // The latest time that was shown.
    let mut latest = clock_at(start);
    let mut at = start.plus(Millis::minutes(QUARTER));
    while at <= end {
        let clock = clock_at(at);
        // Mostly one; where the clock jumped, all that it did not show and the one it shows now; none that comes again.
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
fn daily_ten_years_in_ten_zones_none_missing_none_doubled() {
    compare(AT_NIGHT);
    compare(MIDNIGHT);
}

#[test]
fn each_quarter_of_an_hour_ten_years_in_ten_zones_none_missing_none_doubled() {
    compare(QUARTERS);
}
