//! Carries JSON values through serde's shapes with all their digits.

use entracte_domain::value::JsonValue;
use serde::de::{Deserialize, Deserializer, Error as _};
use serde::ser::{Error as _, Serialize, Serializer};
use serde_json::value::RawValue;

use super::{parse_foreign, parse_stored};

/// A JSON value as a field of a shape that is read from JSON text or written to it. A number keeps its text, whatever
/// features `serde_json` has; members keep their order.
///
/// Reading needs the text, so it fails within `flatten`, `untagged` and internally tagged enums, where serde keeps
/// values in a buffer of its own. Writing works everywhere. [`serde_json::to_value`] rounds numbers: write text.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ExactJson(pub JsonValue);

impl ExactJson {
    /// The value with its members in the order of their names, which is the order of answers.
    pub fn sorted(value: &JsonValue) -> Self {
        Self(value.sorted())
    }

    /// The value that a shape is written as, read as [`parse_foreign`] does: what [`serde_json::to_value`] would be with
    /// all digits. `None` if the shape cannot be written.
    pub fn from_shape(shape: &impl Serialize) -> Option<Self> {
        let text = serde_json::to_string(shape).ok()?;
        parse_foreign(&text).ok().map(Self)
    }
}

/// A value as JSON text, without spaces, with the escapes of `serde_json`.
pub fn to_text(value: &JsonValue) -> String {
    // A value has nothing that JSON cannot say.
    serde_json::to_string(&ExactJsonRef(value)).unwrap_or_default()
}

/// A value as JSON text on several lines, for people.
pub fn to_indented_text(value: &JsonValue) -> String {
    serde_json::to_string_pretty(&ExactJsonRef(value)).unwrap_or_default()
}

/// Null.
impl Default for ExactJson {
    fn default() -> Self {
        Self(JsonValue::Null)
    }
}

impl Serialize for ExactJson {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        ExactJsonRef(&self.0).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for ExactJson {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        parse_stored(raw.get()).map(Self).map_err(D::Error::custom)
    }
}

/// A value of which a shape is written, or a part of it, as an [`ExactJson`].
pub(crate) struct ExactJsonRef<'a>(pub(crate) &'a JsonValue);

impl Serialize for ExactJsonRef<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            JsonValue::Null => serializer.serialize_unit(),
            JsonValue::Bool(truth) => serializer.serialize_bool(*truth),
            JsonValue::Number(text) => {
                let raw: &RawValue = serde_json::from_str(text).map_err(S::Error::custom)?;
                raw.serialize(serializer)
            }
            JsonValue::Text(text) => serializer.serialize_str(text),
            JsonValue::List(items) => serializer.collect_seq(items.iter().map(ExactJsonRef)),
            JsonValue::Object(members) => {
                serializer.collect_map(members.iter().map(|(name, value)| (name, ExactJsonRef(value))))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde::{Deserialize, Serialize};
    use serde_json::json;

    use super::*;

    #[derive(Debug, Deserialize, PartialEq, Serialize)]
    struct Payment {
        amount: ExactJson,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        fee: Option<ExactJson>,
    }

    #[derive(Serialize)]
    #[serde(tag = "kind")]
    enum Order {
        Pay {
            #[serde(flatten)]
            payment: Payment,
        },
    }

    /// Input: a shape with digits that no machine number holds; expected: the same text.
    #[test]
    fn shapes_keep_digits_and_order() {
        let text = r#"{"amount":{"b":12345678901234567890.12,"a":[1e2,-0,72.50,"\b\u001f/"]},"fee":1E5}"#;
        let read: Payment = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::to_string(&read).unwrap(), text);
        let order = Order::Pay { payment: read };
        let tagged = format!(r#"{{"kind":"Pay",{}"#, &text[1..]);
        assert_eq!(serde_json::to_string(&order).unwrap(), tagged);
    }

    #[test]
    fn null_of_an_option_is_none() {
        let read: Payment = serde_json::from_str(r#"{"amount":null,"fee":null}"#).unwrap();
        assert_eq!(read, Payment { amount: ExactJson(JsonValue::Null), fee: None });
    }

    #[test]
    fn shape_is_read_from_machine_numbers() {
        let read: Payment = serde_json::from_value(json!({"amount": {"a": [1.5, 2]}})).unwrap();
        assert_eq!(to_text(&read.amount.0), r#"{"a":[1.5,2]}"#);
    }

    #[test]
    fn value_of_shape_has_its_digits() {
        let written = r#"{"fee":1E5,"amount":{"b":12345678901234567890.12,"a":72.50}}"#;
        let read: Payment = serde_json::from_str(written).unwrap();
        let value = ExactJson::from_shape(&read).unwrap();
        assert_eq!(to_text(&value.0), r#"{"amount":{"a":72.50,"b":12345678901234567890.12},"fee":1e+5}"#);
    }

    #[test]
    fn sorted_value_is_written_as_libraries_do() {
        let value =
            ExactJson::sorted(&super::super::parse(r#"{"b":{"d":1,"c":72.50},"a":"\u0008\f"}"#).unwrap());
        assert_eq!(to_text(&value.0), r#"{"a":"\b\f","b":{"c":72.50,"d":1}}"#);
    }

    #[test]
    fn repeated_name_and_range_are_faults() {
        let fault = |text: &str| serde_json::from_str::<Payment>(text).unwrap_err().to_string();
        assert!(fault(r#"{"amount":{"a":1,"a":2}}"#).contains("the name “a” stands twice"));
        assert!(fault(r#"{"amount":1e999}"#).contains("number out of range"));
    }
}
