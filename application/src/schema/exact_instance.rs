//! Shows a [`JsonValue`] to the schema library as it is: numbers are compared by all their digits, whatever features
//! `serde_json` has.

use std::borrow::Cow;
use std::collections::HashSet;
use std::slice;

use entracte_domain::value::JsonValue;
use jsonschema::JsonType;
use jsonschema::json::{Array, Json, JsonNumber, Node, NodeIdentity, Object};
use serde_json::{Map, Number, Value};

use crate::json_value::{ComparableValue, ExactDecimal, are_equal, from_serde, to_serde};

/// Values whose members are [sorted](JsonValue::sorted).
pub(super) struct ExactInstance;

impl Json for ExactInstance {
    type Node<'a> = &'a JsonValue;
    type PreparedKey = String;
    /// A lookup is a binary search, as in the map of `serde_json`.
    const KEYS_PER_LOOKUP: usize = 2;
    type StringBuffer = Option<JsonValue>;

    fn prepare_key(key: &str) -> String {
        key.to_owned()
    }

    fn with_string_node<T>(
        buffer: &mut Option<JsonValue>,
        string: &str,
        f: impl FnOnce(Self::Node<'_>) -> T,
    ) -> T {
        f(buffer.insert(JsonValue::from(string)))
    }
}

impl<'a> Node<'a, ExactInstance> for &'a JsonValue {
    type Object = &'a [(String, JsonValue)];
    type Array = &'a [JsonValue];
    type Number = ExactNumber<'a>;

    fn as_object(&self) -> Option<Self::Object> {
        JsonValue::as_object(self)
    }

    fn as_array(&self) -> Option<Self::Array> {
        JsonValue::as_list(self)
    }

    fn as_string(&self) -> Option<Cow<'a, str>> {
        JsonValue::as_text(self).map(Cow::Borrowed)
    }

    fn as_number(&self) -> Option<ExactNumber<'a>> {
        match self {
            JsonValue::Number(text) => Some(ExactNumber(text)),
            JsonValue::Null
            | JsonValue::Bool(_)
            | JsonValue::Text(_)
            | JsonValue::List(_)
            | JsonValue::Object(_) => None,
        }
    }

    fn as_boolean(&self) -> Option<bool> {
        JsonValue::as_bool(self)
    }

    fn is_null(&self) -> bool {
        **self == JsonValue::Null
    }

    fn json_type(&self) -> JsonType {
        match self {
            JsonValue::Null => JsonType::Null,
            JsonValue::Bool(_) => JsonType::Boolean,
            JsonValue::Number(_) => JsonType::Number,
            JsonValue::Text(_) => JsonType::String,
            JsonValue::List(_) => JsonType::Array,
            JsonValue::Object(_) => JsonType::Object,
        }
    }

    fn equals_value(&self, expected: &Value) -> bool {
        are_equal(self, &from_serde(expected))
    }

    /// The beginning of the value, with rounded numbers: the library keeps one for each part of a schema that a value does not
    /// fit. The text of a fault is made of the value itself.
    fn to_value(&self) -> Cow<'a, Value> {
        Cow::Owned(beginning(self, &mut { QUOTED_CHARS_MAX }))
    }

    fn identity(&self) -> Option<NodeIdentity> {
        Some(NodeIdentity::new(std::ptr::from_ref::<JsonValue>(self) as usize))
    }
}

/// The most characters, about, of a value that the library keeps with a fault.
const QUOTED_CHARS_MAX: usize = 1_000;

/// The beginning of a value, of about so many characters as are left.
fn beginning(value: &JsonValue, left: &mut usize) -> Value {
    *left = left.saturating_sub(1);
    match value {
        JsonValue::Null | JsonValue::Bool(_) | JsonValue::Number(_) => to_serde(value),
        JsonValue::Text(text) => Value::String(beginning_of_text(text, left)),
        JsonValue::List(items) => {
            let mut shown = Vec::new();
            for item in items {
                if *left == 0 {
                    break;
                }
                shown.push(beginning(item, left));
            }
            Value::Array(shown)
        }
        JsonValue::Object(members) => {
            let mut shown = Map::new();
            for (name, member) in members {
                if *left == 0 {
                    break;
                }
                shown.insert(beginning_of_text(name, left), beginning(member, left));
            }
            Value::Object(shown)
        }
    }
}

fn beginning_of_text(text: &str, left: &mut usize) -> String {
    let mut kept: String = text.chars().take(*left).collect();
    *left = left.saturating_sub(kept.chars().count());
    if kept.len() < text.len() {
        kept.push('…');
    }
    kept
}

impl<'a> Object<'a, ExactInstance> for &'a [(String, JsonValue)] {
    type Node = &'a JsonValue;
    type MemberName = &'a str;
    type MembersIter = MemberIter<'a>;

    fn len(&self) -> usize {
        <[(String, JsonValue)]>::len(self)
    }

    fn get(&self, key: &String) -> Option<&'a JsonValue> {
        let members: &'a [(String, JsonValue)] = self;
        let index = members.binary_search_by(|(name, _)| name.cmp(key)).ok()?;
        members.get(index).map(|(_, value)| value)
    }

    fn members(&self) -> MemberIter<'a> {
        MemberIter(<[(String, JsonValue)]>::iter(self))
    }
}

/// The members of an object.
pub(super) struct MemberIter<'a>(slice::Iter<'a, (String, JsonValue)>);

impl<'a> Iterator for MemberIter<'a> {
    type Item = (&'a str, &'a JsonValue);

    fn next(&mut self) -> Option<Self::Item> {
        self.0.next().map(|(name, value)| (name.as_str(), value))
    }
}

impl<'a> Array<'a, ExactInstance> for &'a [JsonValue] {
    type Node = &'a JsonValue;
    type ElementsIter = slice::Iter<'a, JsonValue>;

    fn len(&self) -> usize {
        <[JsonValue]>::len(self)
    }

    fn elements(&self) -> slice::Iter<'a, JsonValue> {
        <[JsonValue]>::iter(self)
    }

    fn is_unique(&self) -> bool {
        let mut known = HashSet::with_capacity(Array::len(self));
        self.elements().all(|item| known.insert(ComparableValue::new(item)))
    }
}

/// A number as its text.
pub(super) struct ExactNumber<'a>(&'a str);

impl JsonNumber for ExactNumber<'_> {
    fn as_u64(&self) -> Option<u64> {
        self.0.parse().ok()
    }

    fn as_i64(&self) -> Option<i64> {
        self.0.parse().ok()
    }

    fn as_f64(&self) -> Option<f64> {
        self.0.parse().ok()
    }

    fn as_str(&self) -> Cow<'_, str> {
        Cow::Borrowed(self.0)
    }

    fn to_number(&self) -> Cow<'_, Number> {
        Cow::Owned(serde_json::from_str(self.0).unwrap_or_else(|_| Number::from(0)))
    }

    fn is_integer(&self) -> bool {
        ExactDecimal::parse(self.0).is_some_and(|number| number.is_integer())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::json_value::parse;

    /// Input: small values, and large ones of every kind; expected: the small ones as they are, of the large ones a beginning.
    #[test]
    fn library_keeps_the_beginning_of_a_value() {
        let kept = |value: &JsonValue| <&JsonValue as Node<'_, ExactInstance>>::to_value(&value).into_owned();
        let small = r#"{"a":["é",1,null,true,{"b":{}}],"c":2.5}"#;
        assert_eq!(kept(&parse(small).unwrap()).to_string(), small);
        let text = JsonValue::Text("é".repeat(100_000));
        let items = JsonValue::List(vec![JsonValue::List(Vec::new()); 100_000]);
        let named = JsonValue::Object(vec![("n".repeat(100_000), text.clone())]);
        for large in [text, items, named] {
            let bytes = kept(&large).to_string().len();
            assert!(bytes > QUOTED_CHARS_MAX && bytes < 5 * QUOTED_CHARS_MAX, "{bytes}");
        }
        assert_eq!(kept(&JsonValue::Text("x".repeat(QUOTED_CHARS_MAX - 1))), json!("x".repeat(999)));
    }
}
