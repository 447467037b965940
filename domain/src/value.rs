//! A small JSON-like value. Numbers keep their text, so an approved argument runs byte for byte as it was shown.

use std::collections::BTreeMap;
use std::fmt::Write as _;

/// A JSON value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum JsonValue {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number as it was written, a valid JSON number.
    Number(String),
    /// A text.
    Text(String),
    /// A list.
    List(Vec<JsonValue>),
    /// Named values in the order they came; names are unique.
    Object(Vec<(String, JsonValue)>),
}

impl JsonValue {
    /// The member `name` of an object.
    pub fn get(&self, name: &str) -> Option<&JsonValue> {
        match self {
            JsonValue::Object(members) => members.iter().find(|(key, _)| key == name).map(|(_, value)| value),
            JsonValue::Null
            | JsonValue::Bool(_)
            | JsonValue::Number(_)
            | JsonValue::Text(_)
            | JsonValue::List(_) => None,
        }
    }

    /// The member `name` of an object, to change it.
    pub fn get_mut(&mut self, name: &str) -> Option<&mut JsonValue> {
        match self {
            JsonValue::Object(members) => {
                members.iter_mut().find(|(key, _)| key == name).map(|(_, value)| value)
            }
            JsonValue::Null
            | JsonValue::Bool(_)
            | JsonValue::Number(_)
            | JsonValue::Text(_)
            | JsonValue::List(_) => None,
        }
    }

    /// Sets the member `name` of an object, in its place or as the last one. Another value stays as it is.
    pub fn set(&mut self, name: &str, value: JsonValue) {
        if let Some(member) = self.get_mut(name) {
            *member = value;
            return;
        }
        match self {
            JsonValue::Object(members) => members.push((name.to_owned(), value)),
            JsonValue::Null
            | JsonValue::Bool(_)
            | JsonValue::Number(_)
            | JsonValue::Text(_)
            | JsonValue::List(_) => {}
        }
    }

    /// Removes the member `name` of an object.
    pub fn remove(&mut self, name: &str) -> Option<JsonValue> {
        match self {
            JsonValue::Object(members) => {
                let place = members.iter().position(|(key, _)| key == name)?;
                Some(members.remove(place).1)
            }
            JsonValue::Null
            | JsonValue::Bool(_)
            | JsonValue::Number(_)
            | JsonValue::Text(_)
            | JsonValue::List(_) => None,
        }
    }

    /// The text, if the value is one.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            JsonValue::Text(text) => Some(text),
            JsonValue::Null
            | JsonValue::Bool(_)
            | JsonValue::Number(_)
            | JsonValue::List(_)
            | JsonValue::Object(_) => None,
        }
    }

    /// The truth value, if the value is one.
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            JsonValue::Bool(truth) => Some(*truth),
            JsonValue::Null
            | JsonValue::Number(_)
            | JsonValue::Text(_)
            | JsonValue::List(_)
            | JsonValue::Object(_) => None,
        }
    }

    /// The number as an integer, if it is one that fits.
    pub fn as_i64(&self) -> Option<i64> {
        match self {
            JsonValue::Number(text) => text.parse().ok(),
            JsonValue::Null
            | JsonValue::Bool(_)
            | JsonValue::Text(_)
            | JsonValue::List(_)
            | JsonValue::Object(_) => None,
        }
    }

    /// The items, if the value is a list.
    pub fn as_list(&self) -> Option<&[JsonValue]> {
        match self {
            JsonValue::List(items) => Some(items),
            JsonValue::Null
            | JsonValue::Bool(_)
            | JsonValue::Number(_)
            | JsonValue::Text(_)
            | JsonValue::Object(_) => None,
        }
    }

    /// The members, if the value is an object.
    pub fn as_object(&self) -> Option<&[(String, JsonValue)]> {
        match self {
            JsonValue::Object(members) => Some(members),
            JsonValue::Null
            | JsonValue::Bool(_)
            | JsonValue::Number(_)
            | JsonValue::Text(_)
            | JsonValue::List(_) => None,
        }
    }

    /// The value at a JSON pointer; the whole for an empty one.
    pub fn pointer(&self, pointer: &str) -> Option<&JsonValue> {
        if pointer.is_empty() {
            return Some(self);
        }
        pointer.strip_prefix('/')?.split('/').try_fold(self, |value, step| match value {
            JsonValue::Object(_) => value.get(&step.replace("~1", "/").replace("~0", "~")),
            JsonValue::List(items) => {
                // An index has one spelling.
                let is_index = step == "0" || !step.starts_with(['0', '+']);
                items.get(step.parse::<usize>().ok().filter(|_| is_index)?)
            }
            JsonValue::Null | JsonValue::Bool(_) | JsonValue::Number(_) | JsonValue::Text(_) => None,
        })
    }

    /// The value with the members of every object in the order of their names; of the same name the last.
    pub fn sorted(&self) -> JsonValue {
        match self {
            JsonValue::Null | JsonValue::Bool(_) | JsonValue::Number(_) | JsonValue::Text(_) => self.clone(),
            JsonValue::List(items) => JsonValue::List(items.iter().map(JsonValue::sorted).collect()),
            JsonValue::Object(members) => {
                let members: BTreeMap<&str, JsonValue> =
                    members.iter().map(|(name, value)| (name.as_str(), value.sorted())).collect();
                let members = members.into_iter();
                JsonValue::Object(members.map(|(name, value)| (name.to_owned(), value)).collect())
            }
        }
    }

    /// JSON text, names in their original order.
    pub fn to_json(&self) -> String {
        let mut out = String::new();
        write_value(&mut out, self, MemberOrder::AsGiven);
        out
    }

    /// JSON text with sorted names: equal for equal values.
    pub fn canonical(&self) -> String {
        let mut out = String::new();
        write_value(&mut out, self, MemberOrder::Sorted);
        out
    }
}

impl From<&str> for JsonValue {
    fn from(text: &str) -> Self {
        JsonValue::Text(text.to_owned())
    }
}

impl From<String> for JsonValue {
    fn from(text: String) -> Self {
        JsonValue::Text(text)
    }
}

impl From<bool> for JsonValue {
    fn from(truth: bool) -> Self {
        JsonValue::Bool(truth)
    }
}

impl From<i64> for JsonValue {
    fn from(number: i64) -> Self {
        JsonValue::Number(number.to_string())
    }
}

impl From<Vec<JsonValue>> for JsonValue {
    fn from(items: Vec<JsonValue>) -> Self {
        JsonValue::List(items)
    }
}

impl<const N: usize> From<[(&str, JsonValue); N]> for JsonValue {
    fn from(members: [(&str, JsonValue); N]) -> Self {
        JsonValue::Object(members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
    }
}

#[derive(Clone, Copy)]
enum MemberOrder {
    AsGiven,
    Sorted,
}

fn write_value(out: &mut String, value: &JsonValue, order: MemberOrder) {
    match value {
        JsonValue::Null => out.push_str("null"),
        JsonValue::Bool(truth) => out.push_str(if *truth { "true" } else { "false" }),
        JsonValue::Number(text) => out.push_str(text),
        JsonValue::Text(text) => write_text(out, text),
        JsonValue::List(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write_value(out, item, order);
            }
            out.push(']');
        }
        JsonValue::Object(members) => write_object(out, members, order),
    }
}

fn write_object(out: &mut String, members: &[(String, JsonValue)], order: MemberOrder) {
    let mut members: Vec<&(String, JsonValue)> = members.iter().collect();
    match order {
        MemberOrder::AsGiven => {}
        MemberOrder::Sorted => members.sort_by(|a, b| a.0.cmp(&b.0)),
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
                // Writing to a `String` does not fail.
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
    fn member_is_changed_in_its_place() {
        let mut whole = JsonValue::from([("b", JsonValue::from(1)), ("a", JsonValue::from(2))]);
        *whole.get_mut("b").unwrap() = JsonValue::Null;
        assert_eq!(whole.to_json(), r#"{"b":null,"a":2}"#);
        assert_eq!((whole.get_mut("c"), JsonValue::Null.get_mut("b")), (None, None));
    }

    #[test]
    fn member_is_set_and_removed() {
        let mut whole = JsonValue::from([("b", JsonValue::from(1)), ("a", JsonValue::from(2))]);
        whole.set("b", JsonValue::Null);
        whole.set("c", JsonValue::from(3));
        assert_eq!(whole.to_json(), r#"{"b":null,"a":2,"c":3}"#);
        assert_eq!((whole.remove("a"), whole.remove("x")), (Some(JsonValue::from(2)), None));
        assert_eq!(whole.to_json(), r#"{"b":null,"c":3}"#);
        let mut list = JsonValue::from(vec![JsonValue::Null]);
        list.set("a", JsonValue::Null);
        assert_eq!((list.remove("a"), list.to_json()), (None, "[null]".to_owned()));
    }

    #[test]
    fn pointer_leads_to_parts() {
        let items = JsonValue::from(vec![JsonValue::Null, JsonValue::from(7)]);
        let whole = JsonValue::from([("a/b~", items), ("", JsonValue::from("x"))]);
        assert_eq!(whole.pointer(""), Some(&whole));
        assert_eq!(whole.pointer("/a~1b~0/1"), Some(&JsonValue::from(7)));
        assert_eq!(whole.pointer("/"), Some(&JsonValue::from("x")));
        for wrong in ["a", "/a", "/a~1b~0/2", "/a~1b~0/01", "/a~1b~0/+1", "/a~1b~0/-", "//x"] {
            assert_eq!(whole.pointer(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn canonical_text_sorts_nested_names_and_keeps_numbers() {
        let written = JsonValue::from([
            ("b", JsonValue::Number("1.50".into())),
            ("a", JsonValue::from([("z", JsonValue::Null), ("k", JsonValue::from("line\n\u{1}\"q\""))])),
        ]);
        assert_eq!(written.canonical(), r#"{"a":{"k":"line\n\u0001\"q\"","z":null},"b":1.50}"#);
        assert_eq!(written.to_json(), r#"{"b":1.50,"a":{"z":null,"k":"line\n\u0001\"q\""}}"#);
        assert_eq!(written.sorted().to_json(), written.canonical());
    }
}
