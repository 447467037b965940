//! The smallest shapes: hashes, texts that may be JSON, values, deadlines, tokens.

use entracte_domain::dollars::Dollars;
use entracte_domain::id::Digest;
use entracte_domain::time::Deadline;
use entracte_domain::usage::Usage as DomainUsage;
use entracte_domain::value::Value;
use serde::de::Error as _;
use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

use super::is_default;
use super::shape::{Shape, by_hand, shape};
use crate::json;

/// A content hash. 64 hex digits are kept as 43 characters of base64url, since hashes are most of a small
/// entry; any other text is kept behind a `=`, which base64url does not begin with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Hash(String);

static BASE64URL: Alphabet =
    Alphabet::new(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_", 6);
static HEX: Alphabet = Alphabet::new(b"0123456789abcdef", 4);

/// Digits that carry so many bits each, and back. A session's snapshot has up to some hundred hashes and is written
/// with every commit, so no digit is searched for.
struct Alphabet {
    bits: u32,
    digits: &'static [u8],
    values: [u8; 256],
}

impl Alphabet {
    /// What is no digit.
    const NONE: u8 = u8::MAX;

    const fn new(digits: &'static [u8], bits: u32) -> Self {
        let mut values = [Self::NONE; 256];
        let mut value = 0;
        while value < digits.len() {
            values[digits[value] as usize] = value as u8;
            value += 1;
        }
        Self { bits, digits, values }
    }

    fn value(&self, digit: u8) -> Option<usize> {
        let value = self.values[usize::from(digit)];
        (value != Self::NONE).then_some(usize::from(value))
    }
}

impl From<&Digest> for Hash {
    fn from(digest: &Digest) -> Self {
        Self(digest.as_str().to_owned())
    }
}

impl From<Hash> for Digest {
    fn from(hash: Hash) -> Self {
        Digest::new(hash.0)
    }
}

by_hand!(Hash = Digest);

impl Serialize for Hash {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match (self.0.len(), repack(&self.0, &HEX, &BASE64URL)) {
            (64, Some(packed)) => serializer.serialize_str(&packed),
            (_, Some(_) | None) => serializer.serialize_str(&format!("={}", self.0)),
        }
    }
}

impl<'de> Deserialize<'de> for Hash {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let stored = String::deserialize(deserializer)?;
        if let Some(text) = stored.strip_prefix('=') {
            return Ok(Self(text.to_owned()));
        }
        match repack(&stored, &BASE64URL, &HEX) {
            // 43 characters carry two bits more than 64 digits need.
            Some(digits) if stored.len() == 43 => Ok(Self(digits[..64].to_owned())),
            Some(_) | None => Err(D::Error::custom(format!("“{stored}” is not a valid hash"))),
        }
    }
}

/// Two hashes of 64 bits as one text: a session's snapshot has many, and is written with every commit.
#[derive(Debug)]
pub(super) struct HashPair(String);

/// Hexadecimal digits of such a hash, and the characters that carry two.
const SHORT: usize = 16;
const PAIR: usize = 22;

impl HashPair {
    /// None when one of them is no such hash.
    pub(super) fn of(one: &Digest, other: &Digest) -> Option<Self> {
        let is_short =
            |hash: &Digest| hash.as_str().len() == SHORT && repack(hash.as_str(), &HEX, &HEX).is_some();
        (is_short(one) && is_short(other)).then(|| Self(format!("{one}{other}")))
    }

    pub(super) fn hashes(&self) -> (Digest, Digest) {
        let (one, other) = self.0.split_at(SHORT);
        (Digest::new(one), Digest::new(other))
    }
}

impl Serialize for HashPair {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&repack(&self.0, &HEX, &BASE64URL).unwrap_or_default())
    }
}

impl<'de> Deserialize<'de> for HashPair {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let stored = String::deserialize(deserializer)?;
        match repack(&stored, &BASE64URL, &HEX) {
            // 22 characters carry four bits more than 32 digits need.
            Some(digits) if stored.len() == PAIR => Ok(Self(digits[..2 * SHORT].to_owned())),
            Some(_) | None => Err(D::Error::custom(format!("“{stored}” is not a valid pair of hashes"))),
        }
    }
}

/// Digits of one alphabet as digits of another, bits kept in order and filled up with zeros.
fn repack(text: &str, from: &Alphabet, to: &Alphabet) -> Option<String> {
    let mut out = String::with_capacity(64);
    let (mut held, mut bits) = (0_usize, 0_u32);
    let mut push = |held: &mut usize, bits: &mut u32| {
        *bits -= to.bits;
        out.push(char::from(to.digits[*held >> *bits]));
        *held &= (1 << *bits) - 1;
    };
    for byte in text.bytes() {
        held = held << from.bits | from.value(byte)?;
        bits += from.bits;
        while bits >= to.bits {
            push(&mut held, &mut bits);
        }
    }
    if bits > 0 {
        held <<= to.bits - bits;
        bits = to.bits;
        push(&mut held, &mut bits);
    }
    Some(out)
}

/// A text that is often JSON (results, replies, a provider's blocks). A list or an object stands in the stored
/// JSON as it is, byte for byte and without escapes; any other text as a string.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct JsonText(pub(super) String);

impl From<&str> for JsonText {
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}

impl From<&String> for JsonText {
    fn from(text: &String) -> Self {
        Self(text.clone())
    }
}

impl Shape<String> for JsonText {
    fn of(text: &String) -> Self {
        Self(text.clone())
    }

    fn domain(self) -> String {
        self.0
    }
}

impl Serialize for JsonText {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match serde_json::from_str::<&RawValue>(&self.0) {
            Ok(raw) if is_container(&self.0) && raw.get().len() == self.0.len() => raw.serialize(serializer),
            Ok(_) | Err(_) => serializer.serialize_str(&self.0),
        }
    }
}

impl<'de> Deserialize<'de> for JsonText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
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

/// A value, its numbers as they were written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Raw(pub(super) Value);

impl Shape<Value> for Raw {
    fn of(value: &Value) -> Self {
        Self(value.clone())
    }

    fn domain(self) -> Value {
        self.0
    }
}

impl Serialize for Raw {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if json::depth(&self.0) > json::STORED_DEPTH_MAX {
            return Err(S::Error::custom("lists and objects are nested too deeply"));
        }
        RawValue::from_string(self.0.to_json()).map_err(S::Error::custom)?.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Raw {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        json::parse_stored(raw.get()).map(Self).map_err(D::Error::custom)
    }
}

shape! {
    /// A deadline.
    #[derive(Clone, Copy, PartialEq, Eq)]
    pub(super) struct Due = Deadline[armed_at: i64, due_at: i64]
}

shape! {
    /// How many tokens a reply used, as stored.
    #[derive(Clone, Copy, Default, PartialEq, Eq)]
    pub(super) struct Usage = DomainUsage {
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
        /// Of its tokens, those whose price was known. Rows of before there were prices have none.
        #[serde(default, skip_serializing_if = "is_default")]
        priced: u64,
        #[serde(default, rename = "usd", skip_serializing_if = "is_default")]
        cost: Amount,
    }
}

/// Dollars, stored as the text of a decimal number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Amount(Dollars);

impl Shape<Dollars> for Amount {
    fn of(dollars: &Dollars) -> Self {
        Self(*dollars)
    }

    fn domain(self) -> Dollars {
        self.0
    }
}

impl Serialize for Amount {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for Amount {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let wrong = |_| D::Error::custom(format!("“{text}” is not an amount of dollars"));
        text.parse().map(Self).map_err(wrong)
    }
}
