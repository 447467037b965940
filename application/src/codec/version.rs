//! Reads which version stored bytes are of, and hands them to it.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::CodecError;

/// The newest version of what has no other one.
const KNOWN: u64 = 1;

/// The field `v` of every stored object of version 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct V1;

impl Serialize for V1 {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u64(1)
    }
}

impl<'de> Deserialize<'de> for V1 {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match u64::deserialize(deserializer)? {
            1 => Ok(Self),
            other => Err(serde::de::Error::custom(format!("version {other}, expected 1"))),
        }
    }
}

/// The field `v` of a session's snapshot. Version 2 shortens the hashes of what a session has seen; both are read into
/// the same shape.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct UpTo2;

impl UpTo2 {
    /// What is written.
    pub(super) const NEWEST: u64 = 2;
}

impl Serialize for UpTo2 {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u64(Self::NEWEST)
    }
}

impl<'de> Deserialize<'de> for UpTo2 {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match u64::deserialize(deserializer)? {
            1..=Self::NEWEST => Ok(Self),
            other => Err(serde::de::Error::custom(format!("version {other}, expected 1 or 2"))),
        }
    }
}

/// Writes a stored object.
pub(super) fn write<S: Serialize>(what: &'static str, shape: &S) -> Result<Vec<u8>, CodecError> {
    serde_json::to_vec(shape).map_err(|error| CodecError::Unstorable { what, detail: error.to_string() })
}

/// Reads a stored object into the domain.
pub(super) fn read<S: DeserializeOwned, D: From<S>>(
    what: &'static str,
    bytes: &[u8],
) -> Result<D, CodecError> {
    read_shape::<S>(what, bytes).map(D::from)
}

/// Reads a stored object of a known version.
pub(super) fn read_shape<S: DeserializeOwned>(what: &'static str, bytes: &[u8]) -> Result<S, CodecError> {
    read_up_to(what, KNOWN, bytes)
}

/// Reads a stored object whose newest version is `known`, and whose older ones have shapes that it takes too.
pub(super) fn read_up_to<S: DeserializeOwned>(
    what: &'static str,
    known: u64,
    bytes: &[u8],
) -> Result<S, CodecError> {
    #[derive(Deserialize)]
    struct Probe {
        v: u64,
    }

    let malformed = |error: serde_json::Error| CodecError::Malformed { what, detail: error.to_string() };
    let Probe { v } = serde_json::from_slice(bytes).map_err(malformed)?;
    if (1..=known).contains(&v) {
        serde_json::from_slice(bytes).map_err(malformed)
    } else {
        Err(CodecError::UnknownVersion { what, found: v, known })
    }
}
