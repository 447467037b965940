//! The smallest shapes: hashes, texts that may be JSON, values, deadlines, tokens.

use std::borrow::Cow;
use std::fmt;

use data_encoding::{BASE64URL_NOPAD, HEXLOWER};
use entracte_domain::decimal::Decimal;
use entracte_domain::dollars::Dollars;
use entracte_domain::id::Digest;
use entracte_domain::time::Deadline;
use entracte_domain::usage::Usage as DomainUsage;
use entracte_domain::value::JsonValue;
use serde::de::{self, Error as _, Visitor};
use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

use super::is_default;
use super::shape::{ShapeV1, by_hand, shape};
use crate::codec::compact::RECURRING;
use crate::json_value;

/// A content hash: 32 bytes in the compact encoding. In JSON its 64 hex digits are written as 43 characters of
/// base64url, because hashes are most of a small entry. Any other text is written after a `=`, with which no base64url
/// begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct HashV1(Digest);

impl From<&Digest> for HashV1 {
    fn from(digest: &Digest) -> Self {
        Self(digest.clone())
    }
}

impl From<HashV1> for Digest {
    fn from(hash: HashV1) -> Self {
        hash.0
    }
}

by_hand!(HashV1 = Digest);

impl Serialize for HashV1 {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match bytes_of::<32>(self.0.as_str()) {
            Some(bytes) => write_bytes(&bytes, serializer),
            None => serializer.serialize_str(&format!("={}", self.0)),
        }
    }
}

impl<'de> Deserialize<'de> for HashV1 {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(HashVisitorV1).map(Self)
    }
}

/// A hash that recurs in many rows: of rules, or of a command version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RecurringV1(HashV1);

impl From<&Digest> for RecurringV1 {
    fn from(digest: &Digest) -> Self {
        Self(digest.into())
    }
}

impl From<RecurringV1> for Digest {
    fn from(hash: RecurringV1) -> Self {
        hash.0.into()
    }
}

by_hand!(RecurringV1 = Digest);

impl Serialize for RecurringV1 {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_newtype_struct(RECURRING, &self.0)
    }
}

impl<'de> Deserialize<'de> for RecurringV1 {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        HashV1::deserialize(deserializer).map(Self)
    }
}

struct HashVisitorV1;

impl Visitor<'_> for HashVisitorV1 {
    type Value = Digest;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a hash")
    }

    fn visit_str<E: de::Error>(self, stored: &str) -> Result<Digest, E> {
        match stored.strip_prefix('=') {
            Some(text) => Ok(Digest::new(text)),
            None => match decoded::<32>(stored) {
                Some(bytes) => Ok(Digest::new(HEXLOWER.encode(&bytes))),
                None => Err(E::custom(format!("“{stored}” is not a valid hash"))),
            },
        }
    }

    fn visit_bytes<E: de::Error>(self, stored: &[u8]) -> Result<Digest, E> {
        match stored.len() {
            32 => Ok(Digest::new(HEXLOWER.encode(stored))),
            other => Err(E::custom(format!("{other} bytes are not a valid hash"))),
        }
    }
}

/// Decodes exactly `N` bytes from lower-case hexadecimal digits.
pub(super) fn bytes_of<const N: usize>(digits: &str) -> Option<[u8; N]> {
    let mut bytes = [0; N];
    let is_right = digits.len() == 2 * N && HEXLOWER.decode_mut(digits.as_bytes(), &mut bytes).is_ok();
    is_right.then_some(bytes)
}

/// Decodes exactly `N` bytes from base64url.
pub(super) fn decoded<const N: usize>(text: &str) -> Option<[u8; N]> {
    BASE64URL_NOPAD.decode(text.as_bytes()).ok()?.try_into().ok()
}

/// Writes raw bytes, or base64url in JSON.
pub(super) fn write_bytes<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    match serializer.is_human_readable() {
        true => serializer.serialize_str(&BASE64URL_NOPAD.encode(bytes)),
        false => serializer.serialize_bytes(bytes),
    }
}

/// A text that is often JSON (results, replies, a provider's blocks). In JSON, a list or an object is embedded byte
/// for byte without escapes; any other text is a string.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct JsonTextV1(pub(super) String);

impl From<&str> for JsonTextV1 {
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}

impl From<&String> for JsonTextV1 {
    fn from(text: &String) -> Self {
        Self(text.clone())
    }
}

impl ShapeV1<String> for JsonTextV1 {
    fn of(text: &String) -> Self {
        Self(text.clone())
    }

    fn domain(self) -> String {
        self.0
    }
}

impl Serialize for JsonTextV1 {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if !serializer.is_human_readable() {
            return serializer.serialize_str(&self.0);
        }
        match serde_json::from_str::<&RawValue>(&self.0) {
            Ok(raw) if is_container(&self.0) && raw.get().len() == self.0.len() => raw.serialize(serializer),
            Ok(_) | Err(_) => serializer.serialize_str(&self.0),
        }
    }
}

impl<'de> Deserialize<'de> for JsonTextV1 {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if !deserializer.is_human_readable() {
            return String::deserialize(deserializer).map(Self);
        }
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        if is_container(raw.get()) {
            return Ok(Self(String::from(Box::<str>::from(raw))));
        }
        serde_json::from_str(raw.get()).map(Self).map_err(D::Error::custom)
    }
}

fn is_container(text: &str) -> bool {
    text.starts_with(['{', '['])
}

/// A JSON value that preserves its numbers as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RawV1(pub(super) JsonValue);

impl ShapeV1<JsonValue> for RawV1 {
    fn of(value: &JsonValue) -> Self {
        Self(value.clone())
    }

    fn domain(self) -> JsonValue {
        self.0
    }
}

impl Serialize for RawV1 {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if json_value::depth(&self.0) > json_value::STORED_DEPTH_MAX {
            return Err(S::Error::custom("lists and objects are nested too deeply"));
        }
        let json = self.0.to_json();
        let raw = RawValue::from_string(json).map_err(S::Error::custom)?;
        match serializer.is_human_readable() {
            true => raw.serialize(serializer),
            false => serializer.serialize_str(raw.get()),
        }
    }
}

impl<'de> Deserialize<'de> for RawV1 {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if !deserializer.is_human_readable() {
            let json = Cow::<str>::deserialize(deserializer)?;
            return json_value::parse_stored(&json).map(Self).map_err(D::Error::custom);
        }
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        json_value::parse_stored(raw.get()).map(Self).map_err(D::Error::custom)
    }
}

shape! {
    /// The stored form of a deadline.
    #[derive(Clone, Copy, PartialEq, Eq)]
    pub(super) struct DueV1 = Deadline[armed_at: i64, due_at: i64]
}

shape! {
    /// The token usage of a reply.
    #[derive(Clone, Copy, Default, PartialEq, Eq)]
    pub(super) struct UsageV1 = DomainUsage {
        #[serde(default, rename = "in", skip_serializing_if = "is_default")]
        input: u64,
        #[serde(default, skip_serializing_if = "is_default")]
        cache_read: u64,
        #[serde(default, skip_serializing_if = "is_default")]
        cache_write: u64,
        #[serde(default, rename = "out", skip_serializing_if = "is_default")]
        output: u64,
        #[serde(default, skip_serializing_if = "is_default")]
        unknown_attempts: u32,
        /// The tokens whose price was known. Absent in rows from before prices existed.
        #[serde(default, skip_serializing_if = "is_default")]
        priced: u64,
        #[serde(default, rename = "usd", skip_serializing_if = "is_default")]
        cost: AmountV1,
    }
}

/// Dollars, stored as the text of a decimal number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct AmountV1(Dollars);

impl ShapeV1<Dollars> for AmountV1 {
    fn of(dollars: &Dollars) -> Self {
        Self(*dollars)
    }

    fn domain(self) -> Dollars {
        self.0
    }
}

impl Serialize for AmountV1 {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for AmountV1 {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let wrong = |_| D::Error::custom(format!("“{text}” is not an amount of dollars"));
        text.parse().map(Self).map_err(wrong)
    }
}

/// An exact decimal number, stored as its text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct DecimalV1(Decimal);

impl ShapeV1<Decimal> for DecimalV1 {
    fn of(number: &Decimal) -> Self {
        Self(*number)
    }

    fn domain(self) -> Decimal {
        self.0
    }
}

impl Serialize for DecimalV1 {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for DecimalV1 {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let wrong = |_| D::Error::custom(format!("“{text}” is not a decimal number"));
        Decimal::from_sum(&text).map(Self).map_err(wrong)
    }
}
