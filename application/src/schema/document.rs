//! A schema as a value with all digits of its numbers.

use std::fmt;
use std::ops::Deref;

use entracte_domain::value::JsonValue;
use serde::de::{Deserialize, Deserializer, Error as _};
use serde::ser::{Serialize, Serializer};
use serde_json::value::RawValue;

use crate::json_value::{ExactJsonRef, JsonFault, from_serde, parse_foreign, to_foreign, to_text};

/// A JSON Schema as a value, in one spelling: members in the order of their names, exponents as `e+2`, all other digits
/// as they came, so that prompts, catalog versions and the hashes of accepted tools do not depend on who wrote it.
///
/// Its own schemas a program writes as [`serde_json::Value`]; those of others are read from their text
/// ([`SchemaDocument::parse`]).
///
/// ```
/// use entracte_application::schema::SchemaDocument;
///
/// let schema = SchemaDocument::parse(r#"{"type":"number","maximum":72.50,"minimum":1E2}"#).unwrap();
/// assert_eq!(schema.to_string(), r#"{"maximum":72.50,"minimum":1e+2,"type":"number"}"#);
/// assert_eq!(SchemaDocument::from(serde_json::json!({"type": "text"})).to_string(), r#"{"type":"text"}"#);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SchemaDocument(JsonValue);

impl SchemaDocument {
    /// Reads the text of a schema.
    ///
    /// # Errors
    /// When it is not JSON, or nested too deeply; the fault has the position.
    pub fn parse(text: &str) -> Result<Self, JsonFault> {
        parse_foreign(text).map(Self)
    }

    /// The value.
    pub fn into_value(self) -> JsonValue {
        self.0
    }
}

impl Deref for SchemaDocument {
    type Target = JsonValue;

    fn deref(&self) -> &JsonValue {
        &self.0
    }
}

impl From<JsonValue> for SchemaDocument {
    fn from(value: JsonValue) -> Self {
        Self(to_foreign(&value))
    }
}

impl From<&JsonValue> for SchemaDocument {
    fn from(value: &JsonValue) -> Self {
        Self(to_foreign(value))
    }
}

impl From<serde_json::Value> for SchemaDocument {
    fn from(value: serde_json::Value) -> Self {
        Self::from(&value)
    }
}

impl From<&serde_json::Value> for SchemaDocument {
    fn from(value: &serde_json::Value) -> Self {
        Self(to_foreign(&from_serde(value)))
    }
}

impl From<&SchemaDocument> for SchemaDocument {
    fn from(schema: &SchemaDocument) -> Self {
        schema.clone()
    }
}

impl PartialEq<serde_json::Value> for SchemaDocument {
    fn eq(&self, other: &serde_json::Value) -> bool {
        let other = Self::from(other);
        *self == other
    }
}

impl fmt::Display for SchemaDocument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&to_text(&self.0))
    }
}

impl Serialize for SchemaDocument {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        ExactJsonRef(&self.0).serialize(serializer)
    }
}

/// Reads it from JSON text, as [`ExactJson`](crate::json_value::ExactJson) is read.
impl<'de> Deserialize<'de> for SchemaDocument {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        Self::parse(raw.get()).map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Input: one schema as text, as a value with other spellings, and through serde; expected: one document.
    #[test]
    fn schema_has_one_spelling() {
        let text = r#"{"b":{"d":1E2,"c":72.50},"a":[-0,12345678901234567890.12]}"#;
        let read = SchemaDocument::parse(text).unwrap();
        let expected = r#"{"a":[-0,12345678901234567890.12],"b":{"c":72.50,"d":1e+2}}"#;
        assert_eq!(read.to_string(), expected);
        assert_eq!(SchemaDocument::from(crate::json_value::parse(text).unwrap()), read);
        assert_eq!(serde_json::from_str::<SchemaDocument>(text).unwrap(), read);
        assert_eq!(serde_json::to_string(&read).unwrap(), expected);
    }

    #[test]
    fn schema_of_program_equals_its_value() {
        let schema = json!({"type": "object", "required": ["a"], "maximum": 1.5});
        assert_eq!(SchemaDocument::from(&schema), schema);
        assert_eq!(SchemaDocument::from(&schema).to_string(), schema.to_string());
        assert_ne!(SchemaDocument::from(&schema), json!({}));
    }
}
