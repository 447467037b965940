//! User context: values by key that a host program knows of the person and the business a session works for.

use entracte_domain::value::JsonValue;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::Language;
use crate::json_value;
use crate::texts::{LocalizedTexts, say};

/// Values by key, in order of the keys. Numbers keep their text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UserContext(Vec<(String, JsonValue)>);

impl UserContext {
    /// Keys with the same meaning in every source; each has a text value. A source may have other keys, of any type.
    pub const KNOWN: [&str; 7] = [
        "mandate_path",
        "dms_system",
        "communication_mode",
        "client_uuid",
        "company_name",
        "drive_space_parent_id",
        "bank_erp",
    ];
    /// The maximum number of keys.
    pub const KEYS_MAX: usize = 64;
    /// The maximum length of a key, in characters.
    pub const KEY_MAX_CHARS: usize = 64;
    /// The maximum size as JSON, in bytes.
    pub const MAX_BYTES: usize = 8 * 1024;
    /// An empty context.
    pub const NONE: Self = Self(Vec::new());

    /// Parses a JSON object; an empty text gives an empty context.
    ///
    /// # Errors
    /// The fault, with the key.
    pub fn read(text: &str) -> Result<Self, UserContextFault> {
        if text.trim().is_empty() {
            return Ok(Self::NONE);
        }
        if text.len() > Self::MAX_BYTES {
            return Err(UserContextFault::TooLong { bytes: text.len() });
        }
        match json_value::parse(text) {
            Ok(JsonValue::Object(members)) => Self::from_members(members),
            Ok(_) | Err(_) => Err(UserContextFault::NoObject),
        }
    }

    fn from_members(mut members: Vec<(String, JsonValue)>) -> Result<Self, UserContextFault> {
        if members.len() > Self::KEYS_MAX {
            return Err(UserContextFault::TooMany { keys: members.len() });
        }
        for (key, value) in &members {
            if !is_key(key) {
                return Err(UserContextFault::Key(key.clone()));
            }
            if Self::KNOWN.contains(&key.as_str()) && !matches!(value, JsonValue::Text(_)) {
                return Err(UserContextFault::NoText(key.clone()));
            }
        }
        members.sort_by(|(one, _), (other, _)| one.cmp(other));
        match members.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            Some(pair) => Err(UserContextFault::Twice(pair[0].0.clone())),
            None => Ok(Self(members)),
        }
    }

    /// Whether the context is empty.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The keys with their values.
    pub fn members(&self) -> &[(String, JsonValue)] {
        &self.0
    }

    /// Merges another context into this one; the other's value of a common key wins.
    #[must_use]
    pub fn merge(&self, other: &Self) -> Self {
        let is_said = |key: &String| other.0.iter().any(|(said, _)| said == key);
        let mut members: Vec<(String, JsonValue)> =
            self.0.iter().filter(|(key, _)| !is_said(key)).chain(&other.0).cloned().collect();
        members.sort_by(|(one, _), (other, _)| one.cmp(other));
        Self(members)
    }

    /// The context as a JSON object; empty text for an empty context.
    pub fn text(&self) -> String {
        if self.is_empty() { String::new() } else { JsonValue::Object(self.0.clone()).to_json() }
    }
}

/// Why a text is not a user context.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", self.describe(LocalizedTexts::for_language(Language::En)))]
pub enum UserContextFault {
    /// The text is not a JSON object.
    NoObject,
    /// The text is too long.
    TooLong {
        /// Its size in bytes.
        bytes: usize,
    },
    /// There are too many keys.
    TooMany {
        /// The number of keys.
        keys: usize,
    },
    /// A key has an invalid form.
    Key(String),
    /// A key is repeated.
    Twice(String),
    /// A known key has a value that is not a text.
    NoText(String),
}

impl UserContextFault {
    /// Describes the fault.
    pub fn describe(&self, texts: &LocalizedTexts) -> String {
        match self {
            UserContextFault::NoObject => say!(texts, "context-no-object"),
            UserContextFault::TooLong { bytes } => {
                say!(texts, "context-too-long", bytes = *bytes, most = UserContext::MAX_BYTES)
            }
            UserContextFault::TooMany { keys } => {
                say!(texts, "context-too-many", keys = *keys, most = UserContext::KEYS_MAX)
            }
            UserContextFault::Key(key) => say!(texts, "context-key", key = key),
            UserContextFault::Twice(key) => say!(texts, "context-twice", key = key),
            UserContextFault::NoText(key) => say!(texts, "context-no-text", key = key),
        }
    }
}

fn is_key(key: &str) -> bool {
    let is_letter = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '_';
    let begins = key.starts_with(|first: char| first.is_ascii_lowercase());
    begins && key.len() <= UserContext::KEY_MAX_CHARS && key.chars().all(is_letter)
}

impl Serialize for UserContext {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text())
    }
}

impl<'de> Deserialize<'de> for UserContext {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::read(&String::deserialize(deserializer)?).map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_context_is_read_as_it_is_written() {
        let text = r#"{"company_name":"Dupont SA","mandate_path":"clients/42","vat":true,"year_end":12.50}"#;
        let read = UserContext::read(text).unwrap();
        assert_eq!(read.text(), text, "in the order of the keys, with its digits");
        let stored = serde_json::to_string(&read).unwrap();
        assert_eq!(serde_json::from_str::<UserContext>(&stored).unwrap(), read);
        assert_eq!(
            (UserContext::read(" ").unwrap(), UserContext::NONE.text()),
            (UserContext::NONE, String::new())
        );
    }

    #[test]
    fn invalid_context_is_refused_with_fault() {
        let cases = [
            ("[1]", UserContextFault::NoObject),
            ("{", UserContextFault::NoObject),
            (r#"{"Company": 1}"#, UserContextFault::Key("Company".into())),
            (r#"{"": 1}"#, UserContextFault::Key(String::new())),
            (r#"{"client_uuid": 7}"#, UserContextFault::NoText("client_uuid".into())),
        ];
        for (text, expected) in cases {
            assert_eq!(UserContext::read(text), Err(expected), "{text}");
        }
        let long = format!(r#"{{"a":"{}"}}"#, "x".repeat(UserContext::MAX_BYTES));
        assert_eq!(UserContext::read(&long), Err(UserContextFault::TooLong { bytes: long.len() }));
        let many: Vec<String> = (0..65).map(|number| format!(r#""k{number}":1"#)).collect();
        let many = format!("{{{}}}", many.join(","));
        assert_eq!(UserContext::read(&many), Err(UserContextFault::TooMany { keys: 65 }));
    }

    #[test]
    fn the_later_source_counts() {
        let read = |text: &str| UserContext::read(text).unwrap();
        let joined = read(r#"{"a":1,"b":1}"#).merge(&read(r#"{"b":2,"c":2}"#));
        assert_eq!(joined.text(), r#"{"a":1,"b":2,"c":2}"#);
    }
}
