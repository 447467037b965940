//! The conditions and limits of a rule, as `rule add` takes them.

use std::collections::BTreeMap;

use entracte_adapters_http::shapes::rule::ConditionShape;
use entracte_adapters_http::shapes::rule_limits::{DecimalText, UseLimitShape, UseLimitsShape};
use entracte_application::json_value::{self, ExactJson};
use entracte_application::ports::Clock;
use entracte_application::system::SystemClock;
use entracte_domain::time::Millis;
use entracte_domain::value::JsonValue;
use jiff::civil::Date;

use super::decisions::arguments;
use crate::args::AddRuleArgs;
use crate::command_context::CommandContext;
use crate::error::{CliError, CliExitCode};
use crate::user_text::message;

/// The conditions that the flags give.
///
/// # Errors
/// When a flag cannot be read, or two of them are about the same argument.
pub(super) fn conditions(args: &AddRuleArgs) -> Result<BTreeMap<String, ConditionShape>, CliError> {
    let mut all: Vec<(String, ConditionShape)> = Vec::new();
    if let JsonValue::Object(exact) = arguments("--where", &args.conditions)? {
        all.extend(exact.into_iter().map(|(name, value)| (name, ConditionShape::Is(ExactJson(value)))));
    }
    all.extend(args.any.iter().map(|name| (name.clone(), ConditionShape::Any)));
    for given in &args.one_of {
        let (name, list) = named("--one-of", given)?;
        let values = json_value::parse(list).ok();
        let Some(JsonValue::List(values)) = values else { return Err(unreadable("--one-of", given)) };
        all.push((name, ConditionShape::OneOf(values.into_iter().map(ExactJson).collect())));
    }
    for given in &args.ranges {
        let (name, range) = named("--range", given)?;
        let (least, most) = range.split_once("..").ok_or_else(|| unreadable("--range", given))?;
        let bound = |text: &str| (!text.is_empty()).then(|| number("--range", text)).transpose();
        all.push((name, ConditionShape::Range { least: bound(least)?, most: bound(most)? }));
    }
    for given in &args.prefixes {
        let (name, text) = named("--prefix", given)?;
        all.push((name, ConditionShape::Prefix(text.to_owned())));
    }
    for given in &args.patterns {
        let (name, text) = named("--like", given)?;
        all.push((name, ConditionShape::Pattern(text.to_owned())));
    }
    let mut conditions = BTreeMap::new();
    for (name, condition) in all {
        if conditions.insert(name.clone(), condition).is_some() {
            return Err(CliError::new(CliExitCode::Usage, message!("rule-add-twice", argument = name)));
        }
    }
    Ok(conditions)
}

/// The limits that the flags give; `times` is sent by itself.
///
/// # Errors
/// When a sum is not a number in plain digits.
pub(super) fn limits(args: &AddRuleArgs) -> Result<UseLimitsShape, CliError> {
    let sum = |flag, text: &Option<String>| text.as_deref().map(|text| number(flag, text)).transpose();
    Ok(UseLimitsShape {
        run: UseLimitShape { calls: args.per_run, sum: sum("--sum-per-run", &args.sum_per_run)? },
        day: UseLimitShape { calls: args.per_day, sum: sum("--sum-per-day", &args.sum_per_day)? },
        total: UseLimitShape { calls: None, sum: sum("--sum-in-all", &args.sum_in_all)? },
        summed: args.sum.clone(),
    })
}

/// The time until the end of a day of the workspace.
///
/// # Errors
/// When the text is no day, or that day is over.
pub(super) fn until_end_of(text: &str, context: &CommandContext) -> Result<Millis, CliError> {
    let wrong = || CliError::new(CliExitCode::Usage, message!("rule-add-until", given = text));
    let day: Date = text.parse().map_err(|_| wrong())?;
    let after = day.tomorrow().and_then(|next| next.to_zoned(context.zone.clone()));
    let end = after.and_then(|next| next.start_of_day()).map_err(|_| wrong())?.timestamp();
    let left = Millis((end.as_microsecond() - SystemClock.now().0) / 1000);
    if left.0 < 1000 { Err(wrong()) } else { Ok(left) }
}

/// The argument and what is said about it: `amount=0..200`.
fn named<'a>(flag: &'static str, given: &'a str) -> Result<(String, &'a str), CliError> {
    let split = given.split_once('=').filter(|(name, _)| !name.is_empty());
    split.map(|(name, rest)| (name.to_owned(), rest)).ok_or_else(|| unreadable(flag, given))
}

fn number(flag: &'static str, text: &str) -> Result<DecimalText, CliError> {
    text.parse().map(DecimalText).map_err(|_| {
        CliError::new(CliExitCode::Usage, message!("rule-add-number", flag = flag, given = text))
    })
}

fn unreadable(flag: &'static str, given: &str) -> CliError {
    CliError::new(CliExitCode::Usage, message!("rule-add-unreadable", flag = flag, given = given))
        .or_next("entracte rule add --help")
}
