//! Relative periods: each line of `golden.txt` is an input and its expected result.

use entracte_domain::period::Period;
use entracte_domain::time::Timestamp;

use super::calendar;
use crate::calendar::CalendarError;
use crate::settings::WeekDay;

const TABLE: &str = include_str!("golden.txt");

#[test]
fn relative_periods_golden() {
    let rows = TABLE.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let mut checked = 0;
    for row in rows {
        let columns: Vec<&str> = row.split('|').map(str::trim).collect();
        let [zone, day_start, week_start, reference, period, expected] = columns[..] else { panic!("{row}") };
        let week_start = WeekDay::from_word(&week_start.to_lowercase()).unwrap();
        let calendar = calendar(zone, day_start.parse().unwrap(), week_start);
        let reference = calendar.parse_instant(reference).unwrap();
        let found = calendar.resolve(&Period::relative(period).unwrap(), reference).unwrap();
        assert_eq!(
            format!("{} {}", calendar.format_instant(found.start), calendar.format_instant(found.end)),
            expected,
            "{row}"
        );
        checked += 1;
    }
    assert!(checked > 90, "{checked} rows");
}

#[test]
fn periods_follow_each_other_without_gap_or_overlap() {
    for zone in ["Europe/Paris", "America/New_York", "Australia/Lord_Howe", "Pacific/Apia"] {
        for day_start in [0, 2, 4] {
            let calendar = calendar(zone, day_start, WeekDay::Sunday);
            let reference = calendar.parse_instant("2012-01-15T12:00").unwrap();
            for unit in ["HOUR", "DAY", "WEEK", "MONTH", "YEAR"] {
                let resolve = |offset: i32| {
                    let period = Period::relative(&format!("{offset}_{unit}")).unwrap();
                    calendar.resolve(&period, reference).unwrap()
                };
                assert!(resolve(0).contains(reference), "{zone} {day_start} {unit}");
                for offset in -400..400 {
                    let (this, next) = (resolve(offset), resolve(offset + 1));
                    assert!(this.start <= this.end && this.end == next.start, "{zone} {offset}_{unit}");
                }
            }
        }
    }
}

#[test]
fn period_outside_of_calendar_is_refused() {
    let calendar = calendar("Europe/Paris", 4, WeekDay::Monday);
    let resolve = |period: &str, at| calendar.resolve(&Period::relative(period).unwrap(), Timestamp(at));
    for period in ["10000_YEAR", "-1000000_MONTH", "1000000_WEEK"] {
        assert_eq!(resolve(period, 0), Err(CalendarError::OutOfCalendar), "{period}");
    }
    for unit in ["HOUR", "DAY"] {
        assert_eq!(resolve(&format!("0_{unit}"), i64::MAX), Err(CalendarError::OutOfCalendar), "{unit}");
        assert_eq!(resolve(&format!("0_{unit}"), i64::MIN), Err(CalendarError::OutOfCalendar), "{unit}");
    }
    let backwards = Period::Absolute { from: Timestamp(2), until: Timestamp(1) };
    let refused = calendar.resolve(&backwards, Timestamp(0)).unwrap_err();
    assert_eq!(refused.to_string(), "until is before from");
}
