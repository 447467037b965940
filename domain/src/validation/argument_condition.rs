//! Conditions on the arguments of calls that a rule covers.

use crate::value::JsonValue;

/// The condition on one argument.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ArgumentCondition {
    /// Any value that the schema accepts.
    Any,
    /// Exactly this value.
    Is(JsonValue),
}

impl ArgumentCondition {
    pub(super) fn is_met_by(&self, value: &JsonValue) -> bool {
        match self {
            ArgumentCondition::Any => true,
            ArgumentCondition::Is(expected) => expected.canonical() == value.canonical(),
        }
    }
}

/// Whether two values mean the same. A refusal applies to the meaning, so numbers are equal in any notation; inexact
/// comparisons count as equal.
pub(super) fn is_same_meaning(said: &JsonValue, value: &JsonValue) -> bool {
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
}
