//! Diagnoses invalid cron expressions. The grammar is croner's alone: each field is tried by itself, with wildcards in
//! the others.

use std::str::FromStr;

use croner::Cron;

use crate::ports::{CronFault, CronField};

const ALL: [CronField; 7] = [
    CronField::Second,
    CronField::Minute,
    CronField::Hour,
    CronField::Day,
    CronField::Month,
    CronField::Weekday,
    CronField::Year,
];

/// The fault in this invalid expression.
pub(super) fn diagnose_cron(expression: &str) -> CronFault {
    let given: Vec<&str> = expression.split_whitespace().collect();
    let Some(fields) = fields(given.len()) else { return CronFault::Fields { count: given.len() } };
    let wrong = given.iter().zip(fields).find_map(|(value, field)| Some((*field, wrong_in(*field, value)?)));
    match wrong {
        Some((field, value)) => CronFault::Value { field, value: value.to_owned() },
        None => CronFault::Together,
    }
}

/// The fields of an expression with this many: six begin with seconds, seven also end with a year.
fn fields(count: usize) -> Option<&'static [CronField]> {
    match count {
        5 => ALL.get(1..6),
        6 => ALL.get(..6),
        7 => Some(&ALL),
        _ => None,
    }
}

/// The invalid part of a field: an element of its list, or all of it.
fn wrong_in(field: CronField, value: &str) -> Option<&str> {
    if is_read(field, value) {
        return None;
    }
    Some(value.split(',').find(|part| !is_read(field, part)).unwrap_or(value))
}

/// Whether this is valid in a field.
fn is_read(field: CronField, value: &str) -> bool {
    let fields = ALL.map(|other| if other == field { value } else { "*" });
    Cron::from_str(&fields.join(" ")).is_ok()
}
