//! Equality of values as JSON means it.

use std::collections::BTreeMap;

use entracte_domain::value::JsonValue;

use super::decimal::ExactDecimal;

/// Whether two values are equal: numbers by their value with all digits, objects whatever the order of their members.
pub fn are_equal(one: &JsonValue, other: &JsonValue) -> bool {
    ComparableValue::new(one) == ComparableValue::new(other)
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
    }
}
