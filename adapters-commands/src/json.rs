//! Builds and changes JSON values. Reading them is the application's ([`entracte_application::json_value`]): numbers keep
//! their text, so a stored `72.50` is shown as `72.50`.

use entracte_domain::value::JsonValue;

pub(crate) use entracte_application::json_value::parse;

/// `object` with member `name` replaced, appended, or (`None`) removed.
pub(crate) fn with(object: &JsonValue, name: &str, member: Option<JsonValue>) -> JsonValue {
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
    JsonValue::Object(members)
}

/// `object` with each member of `patch` set; a null removes the member.
#[cfg(any(test, feature = "resources"))]
pub(crate) fn patched(object: &JsonValue, patch: &JsonValue) -> JsonValue {
    patch.as_object().unwrap_or_default().iter().fold(object.clone(), |sofar, (name, value)| {
        let member = if *value == JsonValue::Null { None } else { Some(value.clone()) };
        with(&sofar, name, member)
    })
}

/// An object of the members that are `Some`.
pub(crate) fn object<const N: usize>(members: [(&str, Option<JsonValue>); N]) -> JsonValue {
    let members = members.into_iter();
    JsonValue::Object(members.filter_map(|(name, value)| Some((name.to_owned(), value?))).collect())
}

/// A count as a JSON number.
pub(crate) fn number(count: u64) -> JsonValue {
    JsonValue::Number(count.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_text_round_trips_unchanged() {
        for text in [r#"{"b":72.50,"a":[1e3,null,true,"é\n"],"c":{}}"#, "[]", "-0.10", r#""x""#] {
            assert_eq!(parse(text).map(|value| value.to_json()).unwrap(), text);
        }
        assert!(parse("{").is_err());
        assert!(parse(&format!("{}{}", "[".repeat(100), "]".repeat(100))).is_err());
    }

    #[test]
    fn patch_sets_and_removes_members_in_place() {
        let check =
            |object: &str, patch: &str| patched(&parse(object).unwrap(), &parse(patch).unwrap()).to_json();
        assert_eq!(
            check(r#"{"a":1,"b":2,"c":3}"#, r#"{"b":null,"a":9.0,"d":4}"#),
            r#"{"a":9.0,"c":3,"d":4}"#
        );
        assert_eq!(check(r#"{"a":1}"#, "{}"), r#"{"a":1}"#);
    }
}
