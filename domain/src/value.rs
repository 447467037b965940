//! A small JSON-like value. Numbers keep their text, so what a person approved is byte for byte what runs.

use std::fmt::Write as _;

/// A JSON value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Value {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number as it was written, a valid JSON number.
    Number(String),
    /// A text.
    Text(String),
    /// A list.
    List(Vec<Value>),
    /// Named values in the order they came; names are unique.
    Object(Vec<(String, Value)>),
}

impl Value {
    /// The member `name` of an object.
    pub fn get(&self, name: &str) -> Option<&Value> {
        match self {
            Value::Object(members) => members.iter().find(|(key, _)| key == name).map(|(_, value)| value),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Text(_) | Value::List(_) => None,
        }
    }

    /// The text, when it is one.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Value::Text(text) => Some(text),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::List(_) | Value::Object(_) => None,
        }
    }

    /// The truth value, when it is one.
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Value::Bool(truth) => Some(*truth),
            Value::Null | Value::Number(_) | Value::Text(_) | Value::List(_) | Value::Object(_) => None,
        }
    }

    /// The number as an integer, when it is one that fits.
    pub fn as_i64(&self) -> Option<i64> {
        match self {
            Value::Number(text) => text.parse().ok(),
            Value::Null | Value::Bool(_) | Value::Text(_) | Value::List(_) | Value::Object(_) => None,
        }
    }

    /// The items, when it is a list.
    pub fn as_list(&self) -> Option<&[Value]> {
        match self {
            Value::List(items) => Some(items),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Text(_) | Value::Object(_) => None,
        }
    }

    /// The members, when it is an object.
    pub fn as_object(&self) -> Option<&[(String, Value)]> {
        match self {
            Value::Object(members) => Some(members),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Text(_) | Value::List(_) => None,
        }
    }

    /// JSON text, names in the order they came.
    pub fn to_json(&self) -> String {
        let mut out = String::new();
        write_value(&mut out, self, Order::AsGiven);
        out
    }

    /// JSON text with names sorted: equal for equal values, whatever the order they were written in.
    pub fn canonical(&self) -> String {
        let mut out = String::new();
        write_value(&mut out, self, Order::Sorted);
        out
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Value::Text(text.to_owned())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Value::Text(text)
    }
}

impl From<bool> for Value {
    fn from(truth: bool) -> Self {
        Value::Bool(truth)
    }
}

impl From<i64> for Value {
    fn from(number: i64) -> Self {
        Value::Number(number.to_string())
    }
}

impl From<Vec<Value>> for Value {
    fn from(items: Vec<Value>) -> Self {
        Value::List(items)
    }
}

impl<const N: usize> From<[(&str, Value); N]> for Value {
    fn from(members: [(&str, Value); N]) -> Self {
        Value::Object(members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
    }
}

#[derive(Clone, Copy)]
enum Order {
    AsGiven,
    Sorted,
}

fn write_value(out: &mut String, value: &Value, order: Order) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(truth) => out.push_str(if *truth { "true" } else { "false" }),
        Value::Number(text) => out.push_str(text),
        Value::Text(text) => write_text(out, text),
        Value::List(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write_value(out, item, order);
            }
            out.push(']');
        }
        Value::Object(members) => write_object(out, members, order),
    }
}

fn write_object(out: &mut String, members: &[(String, Value)], order: Order) {
    let mut members: Vec<&(String, Value)> = members.iter().collect();
    match order {
        Order::AsGiven => {}
        Order::Sorted => members.sort_by(|a, b| a.0.cmp(&b.0)),
    }
    out.push('{');
    for (index, (name, value)) in members.into_iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        write_text(out, name);
        out.push(':');
        write_value(out, value, order);
    }
    out.push('}');
}

fn write_text(out: &mut String, text: &str) {
    out.push('"');
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            control if control < ' ' => {
                // Writing to a String cannot fail.
                let _ = write!(out, "\\u{:04x}", u32::from(control));
            }
            other => out.push(other),
        }
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn canonical_text_sorts_names_at_every_depth_and_keeps_numbers() {
        let written = Value::from([
            ("b", Value::Number("1.50".into())),
            ("a", Value::from([("z", Value::Null), ("k", Value::from("line\n\u{1}\"q\""))])),
        ]);
        assert_eq!(written.canonical(), r#"{"a":{"k":"line\n\u0001\"q\"","z":null},"b":1.50}"#);
        assert_eq!(written.to_json(), r#"{"b":1.50,"a":{"z":null,"k":"line\n\u0001\"q\""}}"#);
    }
}
