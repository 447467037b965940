//! JSON text and the domain's [`Value`]. Numbers keep their text on the way in, so what was stored as `72.50`
//! is shown as `72.50`.

use std::fmt;

use entracte_domain::value::Value;
use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, Visitor};
use serde_json::value::RawValue;

/// Reads JSON text.
pub(crate) fn parse(text: &str) -> Result<Value, serde_json::Error> {
    let raw: &RawValue = serde_json::from_str(text)?;
    value(raw, 0)
}

/// The same value for the schema library, which has machine numbers; fails on a number beyond them.
pub(crate) fn to_serde(value: &Value) -> Result<serde_json::Value, serde_json::Error> {
    serde_json::from_str(&value.to_json())
}

/// The same value from the schema library's side.
pub(crate) fn from_serde(json: &serde_json::Value) -> Value {
    use serde_json::Value as Json;
    match json {
        Json::Null => Value::Null,
        Json::Bool(truth) => Value::Bool(*truth),
        Json::Number(number) => Value::Number(number.to_string()),
        Json::String(text) => Value::Text(text.clone()),
        Json::Array(items) => Value::List(items.iter().map(from_serde).collect()),
        Json::Object(members) => {
            Value::Object(members.iter().map(|(name, json)| (name.clone(), from_serde(json))).collect())
        }
    }
}

/// `object` with `name` put in its place, or at the end, or taken out.
pub(crate) fn with(object: &Value, name: &str, member: Option<Value>) -> Value {
    let mut members = object.as_object().map(<[_]>::to_vec).unwrap_or_default();
    let place = members.iter().position(|(known, _)| known == name);
    match (place, member) {
        (Some(index), Some(value)) => {
            if let Some(slot) = members.get_mut(index) {
                slot.1 = value;
            }
        }
        (Some(index), None) => {
            members.remove(index);
        }
        (None, Some(value)) => members.push((name.to_owned(), value)),
        (None, None) => {}
    }
    Value::Object(members)
}

/// `object` with each member of `patch` put in; a null takes the member out.
pub(crate) fn patched(object: &Value, patch: &Value) -> Value {
    patch.as_object().unwrap_or_default().iter().fold(object.clone(), |sofar, (name, value)| {
        let member = if *value == Value::Null { None } else { Some(value.clone()) };
        with(&sofar, name, member)
    })
}

/// An object of the members that are there.
pub(crate) fn object<const N: usize>(members: [(&str, Option<Value>); N]) -> Value {
    let members = members.into_iter();
    Value::Object(members.filter_map(|(name, value)| Some((name.to_owned(), value?))).collect())
}

/// A count as a value.
pub(crate) fn number(count: u64) -> Value {
    Value::Number(count.to_string())
}

const MOST_DEPTH: u32 = 64;

fn value(raw: &RawValue, depth: u32) -> Result<Value, serde_json::Error> {
    if depth > MOST_DEPTH {
        return Err(serde_json::Error::custom("nested too deeply"));
    }
    let text = raw.get();
    match text.as_bytes().first() {
        Some(b'{') => object_of(serde_json::from_str(text)?, depth),
        Some(b'[') => list_of(serde_json::from_str(text)?, depth),
        Some(b'"') => Ok(Value::Text(serde_json::from_str(text)?)),
        Some(b't' | b'f') => Ok(Value::Bool(serde_json::from_str(text)?)),
        Some(b'n') => Ok(Value::Null),
        Some(_) | None => Ok(Value::Number(text.to_owned())),
    }
}

fn object_of(members: Members<'_>, depth: u32) -> Result<Value, serde_json::Error> {
    let members = members.0.into_iter();
    let read = members.map(|(name, raw)| Ok((name, value(raw, depth + 1)?)));
    Ok(Value::Object(read.collect::<Result<_, serde_json::Error>>()?))
}

fn list_of(items: Vec<&RawValue>, depth: u32) -> Result<Value, serde_json::Error> {
    let read = items.into_iter().map(|raw| value(raw, depth + 1));
    Ok(Value::List(read.collect::<Result<_, _>>()?))
}

/// The members of an object in the order they were written.
struct Members<'a>(Vec<(String, &'a RawValue)>);

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InOrder;
        impl<'de> Visitor<'de> for InOrder {
            type Value = Members<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members<'de>, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(InOrder)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_comes_back_as_it_was() {
        for text in [r#"{"b":72.50,"a":[1e3,null,true,"é\n"],"c":{}}"#, "[]", "-0.10", r#""x""#] {
            assert_eq!(parse(text).map(|value| value.to_json()).unwrap(), text);
        }
        assert!(parse("{").is_err());
        assert!(parse(&format!("{}{}", "[".repeat(100), "]".repeat(100))).is_err());
    }

    #[test]
    fn a_patch_sets_and_takes_out_members_in_place() {
        let check =
            |object: &str, patch: &str| patched(&parse(object).unwrap(), &parse(patch).unwrap()).to_json();
        assert_eq!(
            check(r#"{"a":1,"b":2,"c":3}"#, r#"{"b":null,"a":9.0,"d":4}"#),
            r#"{"a":9.0,"c":3,"d":4}"#
        );
        assert_eq!(check(r#"{"a":1}"#, "{}"), r#"{"a":1}"#);
    }
}
