//! Conditions on the arguments of calls that a rule covers.

use super::text_pattern::{begins_with, is_address_without_path, matches_pattern};
use crate::decimal::Decimal;
use crate::value::JsonValue;

/// The condition on one argument.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ArgumentCondition {
    /// Any value that the schema accepts.
    Any,
    /// Exactly this value.
    Is(JsonValue),
    /// Exactly one of these values.
    OneOf(Vec<JsonValue>),
    /// A number in this range.
    Range(NumberRange),
    /// A text that begins with this one, which ends where a word ends.
    Prefix(String),
    /// A text that matches as a whole: `*` stands for any number of letters, digits, spaces, dots, hyphens and
    /// underscores, `?` for one of them.
    Pattern(String),
}

/// A range of numbers with both its bounds; at least one is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct NumberRange {
    /// Smallest number.
    pub least: Option<Decimal>,
    /// Largest number.
    pub most: Option<Decimal>,
}

/// Why a condition is not accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConditionFault {
    /// It lists no value, or more than [`ArgumentCondition::VALUES_MAX`].
    ValueCount,
    /// The range has no bound, or its bounds are in the wrong order.
    EmptyRange,
    /// The prefix is empty, or the pattern names no character.
    NoText,
    /// The prefix or the pattern ends within the host of an address, so hosts of others would match too.
    OpenHost,
}

impl NumberRange {
    /// Whether a number is in the range. A number in unusual notation is not, see [`Decimal`].
    fn contains(self, number: &str) -> bool {
        number.parse::<Decimal>().is_ok_and(|number| {
            self.least.is_none_or(|least| least <= number) && self.most.is_none_or(|most| number <= most)
        })
    }
}

impl ArgumentCondition {
    /// Most values that a condition lists.
    pub const VALUES_MAX: usize = 100;

    /// Why the condition is not accepted; `None` if it is.
    pub fn fault(&self) -> Option<ConditionFault> {
        match self {
            Self::Any | Self::Is(_) => None,
            Self::OneOf(values) => {
                let fits = (1..=Self::VALUES_MAX).contains(&values.len());
                (!fits).then_some(ConditionFault::ValueCount)
            }
            Self::Range(NumberRange { least: None, most: None }) => Some(ConditionFault::EmptyRange),
            Self::Range(NumberRange { least: Some(least), most: Some(most) }) if least > most => {
                Some(ConditionFault::EmptyRange)
            }
            Self::Range(_) => None,
            Self::Prefix(prefix) if prefix.is_empty() => Some(ConditionFault::NoText),
            Self::Pattern(pattern) if pattern.chars().all(|sign| matches!(sign, '*' | '?')) => {
                Some(ConditionFault::NoText)
            }
            Self::Prefix(text) | Self::Pattern(text) => {
                is_address_without_path(text).then_some(ConditionFault::OpenHost)
            }
        }
    }

    /// Whether the condition names the only values that meet it, so that the person who gave it saw each of them.
    pub fn lists_values(&self) -> bool {
        match self {
            Self::Is(_) | Self::OneOf(_) => true,
            Self::Any | Self::Range(_) | Self::Prefix(_) | Self::Pattern(_) => false,
        }
    }

    /// Whether an approving rule with this condition admits calls without the argument.
    fn admits_absence(&self) -> bool {
        match self {
            Self::Any => true,
            Self::Is(_) | Self::OneOf(_) | Self::Range(_) | Self::Prefix(_) | Self::Pattern(_) => false,
        }
    }

    /// Whether a value is approved. What is not certain is not approved.
    pub fn is_met_by(&self, value: &JsonValue) -> bool {
        match (self, value) {
            (Self::Any, _) => true,
            (Self::Is(expected), value) => expected.canonical() == value.canonical(),
            (Self::OneOf(values), value) => {
                let canonical = value.canonical();
                values.iter().any(|expected| expected.canonical() == canonical)
            }
            (Self::Range(range), JsonValue::Number(number)) => range.contains(number),
            (Self::Prefix(prefix), JsonValue::Text(text)) => begins_with(text, prefix),
            (Self::Pattern(pattern), JsonValue::Text(text)) => matches_pattern(text, pattern),
            (Self::Range(_) | Self::Prefix(_) | Self::Pattern(_), _) => false,
        }
    }

    /// Whether a denial with this condition refuses the value; `None` stands for a missing argument. A denial applies to
    /// the meaning. Conditions that a value could evade by another notation are not accepted in denials; one that is
    /// stored nevertheless refuses every value.
    pub(super) fn refuses(&self, value: Option<&JsonValue>) -> bool {
        match self {
            Self::Any => true,
            Self::Is(refused) => value.is_some_and(|value| is_same_meaning(refused, value)),
            Self::OneOf(values) => {
                value.is_some_and(|value| values.iter().any(|refused| is_same_meaning(refused, value)))
            }
            Self::Range(_) | Self::Prefix(_) | Self::Pattern(_) => value.is_some(),
        }
    }

    /// Whether a denial may have this condition.
    pub fn fits_denial(&self) -> bool {
        match self {
            Self::Any | Self::Is(_) | Self::OneOf(_) => true,
            Self::Range(_) | Self::Prefix(_) | Self::Pattern(_) => false,
        }
    }
}

/// The conditions on the argument of this name.
pub fn conditions_on<'a>(
    conditions: &'a [(String, ArgumentCondition)],
    name: &'a str,
) -> impl Iterator<Item = &'a ArgumentCondition> {
    conditions.iter().filter(move |(known, _)| known == name).map(|(_, condition)| condition)
}

/// Whether each argument has conditions and meets all of them, and none that is required is missing.
pub fn matches_arguments(conditions: &[(String, ArgumentCondition)], arguments: &JsonValue) -> bool {
    let JsonValue::Object(given) = arguments else { return false };
    let is_met = |(name, value): &(String, JsonValue)| {
        let mut known = conditions_on(conditions, name).peekable();
        known.peek().is_some() && known.all(|condition| condition.is_met_by(value))
    };
    let is_there = |(name, condition): &(String, ArgumentCondition)| {
        condition.admits_absence() || arguments.get(name).is_some()
    };
    given.iter().all(is_met) && conditions.iter().all(is_there)
}

/// Whether two values mean the same. A refusal applies to the meaning, so numbers are equal in any notation; inexact
/// comparisons count as equal.
fn is_same_meaning(said: &JsonValue, value: &JsonValue) -> bool {
    match (said, value) {
        (JsonValue::Number(one), JsonValue::Number(other)) => one == other || is_same_number(one, other),
        (JsonValue::List(one), JsonValue::List(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| is_same_meaning(one, other))
        }
        (JsonValue::Object(one), JsonValue::Object(other)) => {
            let is_held = |(name, said): &(String, JsonValue)| {
                value.get(name).is_some_and(|held| is_same_meaning(said, held))
            };
            one.len() == other.len() && one.iter().all(is_held)
        }
        (
            JsonValue::Null
            | JsonValue::Bool(_)
            | JsonValue::Text(_)
            | JsonValue::Number(_)
            | JsonValue::List(_)
            | JsonValue::Object(_),
            value,
        ) => said.canonical() == value.canonical(),
    }
}

fn is_same_number(one: &str, other: &str) -> bool {
    // Adding 0 turns -0 into 0.
    let read = |text: &str| text.parse::<f64>().ok().map(|number| (number + 0.0).to_bits());
    read(one).is_some_and(|number| read(other) == Some(number))
}

/// The conditions derived from a call's arguments. Texts, truth values, null and lists of those must be equal, because
/// they identify objects and set switches. Numbers, objects and lists of them may differ, because they are content. For
/// external commands every argument must be equal: any of them may name the destination, even a number.
pub fn conditions_from_arguments(
    arguments: &JsonValue,
    acts_outside: bool,
) -> Vec<(String, ArgumentCondition)> {
    let JsonValue::Object(members) = arguments else { return Vec::new() };
    let condition = |value: &JsonValue| match value {
        JsonValue::Number(_) | JsonValue::List(_) | JsonValue::Object(_)
            if !acts_outside && !identifies_things(value) =>
        {
            ArgumentCondition::Any
        }
        JsonValue::Number(_)
        | JsonValue::Text(_)
        | JsonValue::Bool(_)
        | JsonValue::Null
        | JsonValue::List(_)
        | JsonValue::Object(_) => ArgumentCondition::Is(value.clone()),
    };
    members.iter().map(|(name, value)| (name.clone(), condition(value))).collect()
}

/// Whether a value identifies objects: a text, a truth value, null, or a list with such values. An empty list reveals
/// nothing about its elements.
fn identifies_things(value: &JsonValue) -> bool {
    match value {
        JsonValue::Text(_) | JsonValue::Bool(_) | JsonValue::Null => true,
        JsonValue::List(items) => items.is_empty() || items.iter().any(identifies_things),
        JsonValue::Number(_) | JsonValue::Object(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arguments(members: &[(&str, JsonValue)]) -> JsonValue {
        JsonValue::Object(members.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect())
    }

    #[test]
    fn identifying_arguments_must_match_and_content_may_differ() {
        let texts = JsonValue::List(vec!["bob".into(), "eve".into()]);
        let numbers = JsonValue::List(vec![JsonValue::Number("1".into())]);
        let object = arguments(&[("to", "bob".into())]);
        let all = arguments(&[
            ("id", "a".into()),
            ("on", JsonValue::Bool(true)),
            ("to", texts.clone()),
            ("values", numbers.clone()),
            ("config", object.clone()),
            ("count", JsonValue::Number("3".into())),
        ]);
        let conditions = |acts_outside: bool| -> Vec<ArgumentCondition> {
            conditions_from_arguments(&all, acts_outside)
                .into_iter()
                .map(|(_, condition)| condition)
                .collect()
        };
        let (id, on, to) = ("a".into(), JsonValue::Bool(true), texts);
        let named = [ArgumentCondition::Is(id), ArgumentCondition::Is(on), ArgumentCondition::Is(to)];
        assert_eq!(conditions(false)[..3], named);
        assert_eq!(
            conditions(false)[3..],
            [ArgumentCondition::Any, ArgumentCondition::Any, ArgumentCondition::Any]
        );
        assert_eq!(conditions(true)[..3], named);
        let sent = [numbers, object, JsonValue::Number("3".into())].map(ArgumentCondition::Is);
        assert_eq!(conditions(true)[3..], sent, "where it goes may stand anywhere, also in a number");
    }

    fn range(least: Option<&str>, most: Option<&str>) -> ArgumentCondition {
        let number = |text: &str| text.parse().unwrap();
        ArgumentCondition::Range(NumberRange { least: least.map(number), most: most.map(number) })
    }

    /// Input: a value for an argument of up to 200; expected: only plain numbers up to 200 are approved, whatever else a
    /// receiver may read as such a number.
    #[test]
    fn range_approves_plain_numbers_only() {
        let up_to = range(Some("0"), Some("200"));
        let number = |text: &str| JsonValue::Number(text.into());
        for text in ["0", "0.01", "199.99", "200", "200.00"] {
            assert!(up_to.is_met_by(&number(text)), "{text}");
        }
        let huge = "9".repeat(400);
        let refused = [
            "200.01",
            "200.000000000001",
            "-1",
            "-0",
            "1e2",
            "2E0",
            "1e-400",
            "199.99999999999999999",
            huge.as_str(),
        ];
        for text in refused {
            assert!(!up_to.is_met_by(&number(text)), "{text}");
        }
        for value in
            [JsonValue::Null, "100".into(), JsonValue::Bool(true), JsonValue::List(vec![number("1")])]
        {
            assert!(!up_to.is_met_by(&value), "{value:?}");
        }
        assert!(range(None, Some("-1")).is_met_by(&number("-1.5")));
        assert!(!range(Some("-1"), None).is_met_by(&number("-1.5")));
    }

    /// Input: values of which some are written in another way; expected: only what is listed is approved, as it is
    /// listed.
    #[test]
    fn listed_values_are_approved_as_written() {
        let listed =
            ArgumentCondition::OneOf(vec!["FR76".into(), JsonValue::Number("70".into()), JsonValue::Null]);
        for value in ["FR76".into(), JsonValue::Number("70".into()), JsonValue::Null] {
            assert!(listed.is_met_by(&value), "{value:?}");
        }
        for value in ["fr76".into(), "FR76 ".into(), "70".into(), JsonValue::Number("7e1".into())] {
            assert!(!listed.is_met_by(&value), "{value:?}");
            let is_seventy = value == JsonValue::Number("7e1".into());
            assert_eq!(listed.refuses(Some(&value)), is_seventy, "a denial is for the meaning: {value:?}");
        }
        assert!(!listed.refuses(None) && !listed.admits_absence());
    }

    #[test]
    fn conditions_that_mean_nothing_or_too_much_are_faults() {
        let text = |text: &str| text.to_owned();
        let faults = [
            (ArgumentCondition::OneOf(Vec::new()), ConditionFault::ValueCount),
            (ArgumentCondition::OneOf(vec![JsonValue::Null; 101]), ConditionFault::ValueCount),
            (range(None, None), ConditionFault::EmptyRange),
            (range(Some("2"), Some("1")), ConditionFault::EmptyRange),
            (ArgumentCondition::Prefix(text("")), ConditionFault::NoText),
            (ArgumentCondition::Pattern(text("*?")), ConditionFault::NoText),
            (ArgumentCondition::Prefix(text("https://acme.example")), ConditionFault::OpenHost),
            (ArgumentCondition::Pattern(text("https://*.acme.example/x")), ConditionFault::OpenHost),
        ];
        for (condition, fault) in faults {
            assert_eq!(condition.fault(), Some(fault), "{condition:?}");
        }
        for condition in [
            ArgumentCondition::Any,
            range(Some("1"), Some("1")),
            ArgumentCondition::Prefix(text("https://acme.example/")),
            ArgumentCondition::Pattern(text("INV-????")),
        ] {
            assert_eq!(condition.fault(), None, "{condition:?}");
        }
    }
}
