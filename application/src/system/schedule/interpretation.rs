//! Possible misreadings of a cron expression.

use std::str::FromStr;

use croner::{Cron, CronComponent};

use crate::ports::CronField;
use crate::texts::{LocalizedMessage, saying};

/// The interpretation of an expression that people may read differently.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct CronInterpretation {
    /// The meant days, if both the day of the month and the weekday are restricted.
    pub days: Option<LocalizedMessage>,
    /// Warnings about parts that are probably not intended.
    pub warnings: Vec<LocalizedMessage>,
    /// The equivalent expression for a Debian crontab with the same fields, if that means other days.
    pub crontab: Option<String>,
}

/// The interpretation of this expression; empty for an invalid one.
pub(super) fn interpret_cron(expression: &str) -> CronInterpretation {
    let Ok(cron) = Cron::from_str(expression) else { return CronInterpretation::default() };
    let fields: Vec<&str> = expression.split_whitespace().collect();
    let mut reading =
        CronInterpretation { warnings: long_steps(&cron, &fields), ..CronInterpretation::default() };
    // Six or more fields begin with seconds.
    let first = usize::from(fields.len() > 5);
    let (Some(day), Some(weekday)) = (fields.get(first + 2), fields.get(first + 4)) else { return reading };
    if [*day, *weekday].iter().any(|field| matches!(*field, "*" | "?")) {
        return reading;
    }
    if cron.pattern.matches_dom_and_dow() {
        reading.days = Some(saying!("cron-days-both"));
        return reading;
    }
    reading.days = Some(saying!("cron-days-either"));
    let is_all = |field: &CronComponent, all: usize| !field.has_modifiers() && field.values().len() == all;
    let is_same = is_all(&cron.pattern.days, 31) && is_all(&cron.pattern.days_of_week, 7);
    let Some(star) = [*day, *weekday].into_iter().find(|field| field.starts_with('*')) else {
        return reading;
    };
    if !is_same {
        let mut both: Vec<String> = fields.iter().map(|field| (*field).to_owned()).collect();
        if let Some(weekday) = both.get_mut(first + 4) {
            weekday.insert(0, '+');
        }
        let both = both.join(" ");
        reading.warnings.push(saying!("cron-two-readings", field = star, crontab = both.as_str()));
        reading.crontab = Some(both);
    }
    reading
}

/// Steps longer than their range, which leave a single value and are hardly ever intended.
fn long_steps(cron: &Cron, fields: &[&str]) -> Vec<LocalizedMessage> {
    let pattern = &cron.pattern;
    let all = [
        (CronField::Second, &pattern.seconds),
        (CronField::Minute, &pattern.minutes),
        (CronField::Hour, &pattern.hours),
        (CronField::Day, &pattern.days),
        (CronField::Month, &pattern.months),
        (CronField::Weekday, &pattern.days_of_week),
    ];
    let given = fields.iter().zip(all.into_iter().skip(usize::from(fields.len() == 5)));
    given
        .flat_map(|(text, (field, component))| {
            text.split(',').filter_map(move |part| Some((field, part, only_of(component, part)?)))
        })
        .map(|(field, part, only)| {
            saying!("cron-step-long", step = part, field = word_of(field), only = only.to_string())
        })
        .collect()
}

/// The only value of a part with a step, if the step is longer than its range.
fn only_of(component: &CronComponent, part: &str) -> Option<u16> {
    let (base, step) = part.trim_start_matches('+').split_once('/')?;
    let (from, to) = match base.split_once('-') {
        Some((from, to)) => (from.parse().ok()?, to.parse().ok()?),
        // Sunday has two numbers.
        None if component.min == 0 && component.max == 7 => (0, 6),
        None => (component.min, component.max),
    };
    let count = u16::checked_sub(to, from)?.saturating_add(1);
    (step.parse::<u16>().ok()? > count).then_some(from)
}

const fn word_of(field: CronField) -> &'static str {
    match field {
        CronField::Second => "second",
        CronField::Minute => "minute",
        CronField::Hour => "hour",
        CronField::Day => "day",
        CronField::Month => "month",
        CronField::Weekday => "weekday",
        CronField::Year => "year",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::texts::{Language, LocalizedTexts};

    fn said(expression: &str) -> (Option<String>, Vec<String>, Option<String>) {
        let texts = LocalizedTexts::for_language(Language::En);
        let CronInterpretation { days, warnings, crontab } = interpret_cron(expression);
        let warnings = warnings.iter().map(|warning| warning.render(texts)).collect();
        (days.map(|days| days.render(texts)), warnings, crontab)
    }

    /// Input: an expression; expected: the equivalent crontab expression, if a crontab means other days.
    #[test]
    fn differing_interpretations_are_reported() {
        let cases = [
            ("0 0 */2 * 1", Some("0 0 */2 * +1")),
            ("0 0 1 * */2", Some("0 0 1 * +*/2")),
            ("0 0 0 */2 * 1", Some("0 0 0 */2 * +1")),
            ("0 0 */1 * */1", None),
            ("0 0 */2 * *", None),
            ("0 0 ? * 1", None),
            ("0 0 13 * 5", None),
            ("0 0 1-31/2 * 1", None),
            ("0 0 */2 * +1", None),
            ("no cron", None),
        ];
        for (expression, expected) in cases {
            let (_, warnings, crontab) = said(expression);
            assert_eq!(crontab.as_deref(), expected, "{expression}");
            assert_eq!(warnings.len(), usize::from(expected.is_some()), "{expression}: {warnings:?}");
        }
        let days = |expression| said(expression).0.unwrap_or_default();
        assert!(days("0 0 13 * 5").contains("and also"));
        assert!(days("0 0 13 * +5").contains("both"));
        assert_eq!(days("0 0 13 * *"), "");
    }

    #[test]
    fn steps_longer_than_their_field_are_reported() {
        let cases = [
            ("*/90 * * * *", Some("minute 0")),
            ("0 */36 * * *", Some("hour 0")),
            ("0 0 */40 * *", Some("day 1")),
            ("10-20/30 * * * *", Some("minute 10")),
            ("*/60 * * * *", None),
            ("*/15 * * * *", None),
            ("0 0 * * */7", None),
        ];
        for (expression, expected) in cases {
            let (_, warnings, _) = said(expression);
            let is_told = |only: &str| warnings.len() == 1 && warnings[0].contains(only);
            assert!(expected.map_or(warnings.is_empty(), is_told), "{expression}: {warnings:?}");
        }
    }
}
