//! Equality of values as JSON means it.

use std::collections::BTreeMap;

use entracte_domain::value::JsonValue;

use super::decimal::ExactDecimal;

/// Whether two values are equal: numbers by their value with all digits, objects whatever the order of their members.
/// It takes no longer than the smaller value is large: a schema may have many constants, and all are compared with a value.
pub fn are_equal(one: &JsonValue, other: &JsonValue) -> bool {
    match (one, other) {
        (JsonValue::Null, JsonValue::Null) => true,
        (JsonValue::Bool(one), JsonValue::Bool(other)) => one == other,
        (JsonValue::Number(one), JsonValue::Number(other)) => {
            one == other || ExactDecimal::parse(one) == ExactDecimal::parse(other)
        }
        (JsonValue::Text(one), JsonValue::Text(other)) => one == other,
        (JsonValue::List(one), JsonValue::List(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| are_equal(one, other))
        }
        (JsonValue::Object(one), JsonValue::Object(other)) => {
            one.len() == other.len() && are_members_equal(one, other)
        }
        (_, _) => false,
    }
}

fn are_members_equal(one: &[(String, JsonValue)], other: &[(String, JsonValue)]) -> bool {
    let (one, other) = (by_name(one), by_name(other));
    one.len() == other.len()
        && one.iter().zip(&other).all(|((name, one), (known, other))| name == known && are_equal(one, other))
}

fn by_name(members: &[(String, JsonValue)]) -> BTreeMap<&str, &JsonValue> {
    members.iter().map(|(name, member)| (name.as_str(), member)).collect()
}

/// A value in the form in which equal values are equal.
#[derive(PartialEq, Eq, Hash)]
pub(crate) enum ComparableValue<'a> {
    Null,
    Bool(bool),
    Number(Option<ExactDecimal>),
    Text(&'a str),
    List(Vec<ComparableValue<'a>>),
    Object(BTreeMap<&'a str, ComparableValue<'a>>),
}

impl<'a> ComparableValue<'a> {
    pub(crate) fn new(value: &'a JsonValue) -> Self {
        match value {
            JsonValue::Null => Self::Null,
            JsonValue::Bool(truth) => Self::Bool(*truth),
            JsonValue::Number(text) => Self::Number(ExactDecimal::parse(text)),
            JsonValue::Text(text) => Self::Text(text),
            JsonValue::List(items) => Self::List(items.iter().map(Self::new).collect()),
            JsonValue::Object(members) => Self::Object(
                members.iter().map(|(name, member)| (name.as_str(), Self::new(member))).collect(),
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json_value::parse;

    #[test]
    fn numbers_are_equal_by_value() {
        let check = |one: &str, other: &str, expected: bool| {
            assert_eq!(are_equal(&parse(one).unwrap(), &parse(other).unwrap()), expected, "{one} {other}");
        };
        check("72.50", "72.5", true);
        check("1e2", "100", true);
        check("12345678901234567890.12", "12345678901234567890.13", false);
        check(r#"{"a":[1.0,null],"b":"x"}"#, r#"{"b":"x","a":[1,null]}"#, true);
        check(r#"{"a":1}"#, r#"{"a":1,"b":null}"#, false);
        check(r#""1""#, "1", false);
        check("[1,2]", "[2,1]", false);
        check("[1,2]", "[1]", false);
        check(r#"{"a":[{"c":-0,"d":null}],"b":1e1}"#, r#"{"b":10,"a":[{"d":null,"c":0.0}]}"#, true);
        check(r#"{"a":1,"b":2}"#, r#"{"a":1,"c":2}"#, false);
        check("null", "false", false);
    }
}
