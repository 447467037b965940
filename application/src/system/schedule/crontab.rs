//! Parses crontab lines as Debian's cron does: crontab(5) of the package `cron`.
//!
//! Its grammar is a subset of croner's. The one difference in meaning: beside a weekday, a day of the month that
//! begins with `*` (also `*/2`) means the days that match both; the same for a weekday that begins with `*`.

use crate::ports::{CronFault, CronField};

/// Names for whole lines. `@reboot` names no time.
const NICKNAMES: [(&str, &str); 7] = [
    ("@yearly", "0 0 1 1 *"),
    ("@annually", "0 0 1 1 *"),
    ("@monthly", "0 0 1 * *"),
    ("@weekly", "0 0 * * 0"),
    ("@daily", "0 0 * * *"),
    ("@midnight", "0 0 * * *"),
    ("@hourly", "0 * * * *"),
];

const FIELDS: [CronField; 5] =
    [CronField::Minute, CronField::Hour, CronField::Day, CronField::Month, CronField::Weekday];

/// The expression with the meaning that these five fields have for Debian's cron.
pub(super) fn cron_from_crontab_line(line: &str) -> Result<String, CronFault> {
    if line.starts_with('@') {
        let known = NICKNAMES.iter().find(|(name, _)| line.eq_ignore_ascii_case(name));
        let nickname = || CronFault::Nickname { value: line.to_owned() };
        return known.map(|(_, fields)| (*fields).to_owned()).ok_or_else(nickname);
    }
    let given: Vec<&str> = line.split_whitespace().collect();
    let [minute, hour, day, month, weekday] = given[..] else {
        return Err(CronFault::Fields { count: given.len() });
    };
    for (field, value) in FIELDS.into_iter().zip([minute, hour, day, month, weekday]) {
        if let Some(wrong) = value.split(',').enumerate().find_map(|(at, part)| wrong_in(field, at, part)) {
            return Err(CronFault::Value { field, value: wrong.to_owned() });
        }
    }
    let [minute, hour, day, month, weekday] = [minute, hour, day, month, weekday].map(whole);
    let both = day != "*" && weekday != "*" && (day.starts_with('*') || weekday.starts_with('*'));
    let both = if both { "+" } else { "" };
    Ok(format!("{minute} {hour} {day} {month} {both}{weekday}"))
}

/// A list element that Debian's cron does not support, but croner may: `L`, `W`, `#` and `?`, a step without a range.
fn wrong_in(field: CronField, at: usize, part: &str) -> Option<&str> {
    let (base, step) = match part.split_once('/') {
        Some((base, step)) => (base, Some(step)),
        None => (part, None),
    };
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let may_be_named = matches!(field, CronField::Month | CronField::Weekday);
    let is_name = |text: &str| text.len() == 3 && text.bytes().all(|byte| byte.is_ascii_alphabetic());
    let is_value = |text: &str| is_number(text) || may_be_named && is_name(text);
    let is_range = base.split_once('-').is_some_and(|(from, to)| is_value(from) && is_value(to));
    // A star after other values of a list means every value, but does not count as a star for the rule of the two
    // days.
    let is_star = base == "*" && (at == 0 || step.is_some());
    let is_right = match step {
        Some(step) => is_number(step) && (is_star || is_range),
        None => is_star || is_range || is_value(base),
    };
    (!is_right).then_some(part)
}

/// A list that begins with a star means every value.
fn whole(field: &str) -> &str {
    if field.starts_with("*,") { "*" } else { field }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crontab_lines_keep_their_days() {
        let cases = [
            ("0 9 * * 1", "0 9 * * 1"),
            ("30 4 1,15 * 5", "30 4 1,15 * 5"),
            ("0 0 */2 * 1", "0 0 */2 * +1"),
            ("0 0 1 * */2", "0 0 1 * +*/2"),
            ("0 0 */2 * *", "0 0 */2 * *"),
            ("0 0 1-31/2 * 1", "0 0 1-31/2 * 1"),
            ("0 0 *,5 * mon", "0 0 * * mon"),
            ("*/20 8-18 * jan-mar mon-fri", "*/20 8-18 * jan-mar mon-fri"),
            ("@daily", "0 0 * * *"),
            ("@Weekly", "0 0 * * 0"),
        ];
        for (line, expected) in cases {
            assert_eq!(cron_from_crontab_line(line).as_deref(), Ok(expected), "{line}");
        }
    }

    #[test]
    fn syntax_unknown_to_debian_is_refused() {
        let value = |field, value: &str| CronFault::Value { field, value: value.to_owned() };
        let cases = [
            ("0 9 * *", CronFault::Fields { count: 4 }),
            ("0 0 9 * * 1", CronFault::Fields { count: 6 }),
            ("@reboot", CronFault::Nickname { value: "@reboot".into() }),
            ("5/10 * * * *", value(CronField::Minute, "5/10")),
            ("0 9 L * *", value(CronField::Day, "L")),
            ("0 9 1,? * *", value(CronField::Day, "?")),
            ("0 9 * * MON#1", value(CronField::Weekday, "MON#1")),
            ("0 9 * * +1", value(CronField::Weekday, "+1")),
            ("0 9 3,* * 1", value(CronField::Day, "*")),
            ("0 mon * * 1", value(CronField::Hour, "mon")),
        ];
        for (line, expected) in cases {
            assert_eq!(cron_from_crontab_line(line), Err(expected), "{line}");
        }
    }
}
