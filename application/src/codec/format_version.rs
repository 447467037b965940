//! Determines the version of stored bytes and decodes them accordingly.
//!
//! JSON states its version in the field `v`, the compact encoding in its first byte, with which no JSON begins; the
//! header in front of the shape is handled by `recurring_hashes`.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{CodecError, compact, recurring_hashes};

/// The newest JSON version of objects without a version of their own.
const KNOWN: u64 = 1;

/// The field `v` of every stored object of version 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct FormatVersion1;

impl Serialize for FormatVersion1 {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u64(1)
    }
}

impl<'de> Deserialize<'de> for FormatVersion1 {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match u64::deserialize(deserializer)? {
            1 => Ok(Self),
            other => Err(serde::de::Error::custom(format!("version {other}, expected 1"))),
        }
    }
}

/// The first byte of a JSON object.
const JSON: u8 = b'{';

/// The field `v` of a session's snapshot in JSON. Version 2 shortens the hashes of the results a session has seen;
/// both versions are read into the same shape.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct FormatVersion1Or2;

impl FormatVersion1Or2 {
    /// The version that is written.
    const NEWEST: u64 = 2;
}

/// The versions of an object that has a compact encoding.
#[derive(Clone, Copy, Debug)]
pub(super) struct StorageFormat {
    what: &'static str,
    /// The newest version in JSON.
    json: u64,
    /// The compact version, which is written.
    compact: u8,
}

impl StorageFormat {
    pub(super) const ENTRY: Self = Self { what: "log entry", json: KNOWN, compact: 2 };
    pub(super) const CALL: Self = Self { what: "call", json: KNOWN, compact: 2 };
    pub(super) const SESSION: Self = Self { what: "session", json: FormatVersion1Or2::NEWEST, compact: 3 };

    /// Encodes a shape.
    pub(super) fn write<S: Serialize>(self, shape: &S) -> Result<Vec<u8>, CodecError> {
        let (shape, recurring) = compact::to_vec(shape)
            .map_err(|error| CodecError::Unstorable { what: self.what, detail: error.to_string() })?;
        Ok(recurring_hashes::prepend_header(self.compact, &recurring, &shape))
    }

    /// Decodes a shape of any version.
    pub(super) fn read<S: DeserializeOwned>(self, bytes: &[u8]) -> Result<S, CodecError> {
        let Self { what, json, compact } = self;
        let newer = |found| CodecError::UnknownVersion { what, found, known: u64::from(compact) };
        let malformed = |detail| CodecError::Malformed { what, detail };
        match bytes {
            [version, rest @ ..] if *version == compact => {
                let (recurring, shape) = recurring_hashes::split_header(rest).map_err(malformed)?;
                compact::from_slice(shape, recurring).map_err(|error| malformed(error.to_string()))
            }
            [version, ..] if (compact..JSON).contains(version) && !version.is_ascii_whitespace() => {
                Err(newer(u64::from(*version)))
            }
            _ => read_up_to(what, json, bytes).map_err(|error| match error {
                CodecError::UnknownVersion { found, .. } => newer(found),
                CodecError::Malformed { .. } | CodecError::Unstorable { .. } => error,
            }),
        }
    }
}

impl Serialize for FormatVersion1Or2 {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u64(Self::NEWEST)
    }
}

impl<'de> Deserialize<'de> for FormatVersion1Or2 {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match u64::deserialize(deserializer)? {
            1..=Self::NEWEST => Ok(Self),
            other => Err(serde::de::Error::custom(format!("version {other}, expected 1 or 2"))),
        }
    }
}

/// Encodes a stored object as JSON.
pub(super) fn write<S: Serialize>(what: &'static str, shape: &S) -> Result<Vec<u8>, CodecError> {
    serde_json::to_vec(shape).map_err(|error| CodecError::Unstorable { what, detail: error.to_string() })
}

/// Decodes a stored object into its domain type.
pub(super) fn read<S: DeserializeOwned, D: From<S>>(
    what: &'static str,
    bytes: &[u8],
) -> Result<D, CodecError> {
    read_shape::<S>(what, bytes).map(D::from)
}

/// Decodes a stored object of version 1 into its shape.
pub(super) fn read_shape<S: DeserializeOwned>(what: &'static str, bytes: &[u8]) -> Result<S, CodecError> {
    read_up_to(what, KNOWN, bytes)
}

/// Decodes a stored object whose newest version is `known` and whose shape also accepts the older ones.
fn read_up_to<S: DeserializeOwned>(what: &'static str, known: u64, bytes: &[u8]) -> Result<S, CodecError> {
    #[derive(Deserialize)]
    struct VersionFieldProbe {
        v: u64,
    }

    let malformed = |error: serde_json::Error| CodecError::Malformed { what, detail: error.to_string() };
    let VersionFieldProbe { v } = serde_json::from_slice(bytes).map_err(malformed)?;
    if (1..=known).contains(&v) {
        serde_json::from_slice(bytes).map_err(malformed)
    } else {
        Err(CodecError::UnknownVersion { what, found: v, known })
    }
}
