//! Reads which version stored bytes are of, and hands them to it.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::CodecError;

/// The newest version.
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
            other => Err(serde::de::Error::custom(format!("version {other} where 1 was expected"))),
        }
    }
}

/// Writes a stored object.
pub(super) fn write<S: Serialize>(what: &'static str, shape: &S) -> Result<Vec<u8>, CodecError> {
    serde_json::to_vec(shape).map_err(|error| CodecError::Unstorable { what, detail: error.to_string() })
}

/// Reads a stored object into the domain. A second version gets its arm in [`read_shape`], where its shape is
/// first made one of the newest.
pub(super) fn read<S: DeserializeOwned, D: From<S>>(
    what: &'static str,
    bytes: &[u8],
) -> Result<D, CodecError> {
    read_shape::<S>(what, bytes).map(D::from)
}

/// Reads a stored object of a known version.
pub(super) fn read_shape<S: DeserializeOwned>(what: &'static str, bytes: &[u8]) -> Result<S, CodecError> {
    #[derive(Deserialize)]
    struct Probe {
        v: u64,
    }

    let malformed = |error: serde_json::Error| CodecError::Malformed { what, detail: error.to_string() };
    let Probe { v } = serde_json::from_slice(bytes).map_err(malformed)?;
    match v {
        1 => serde_json::from_slice(bytes).map_err(malformed),
        found => Err(CodecError::UnknownVersion { what, found, known: KNOWN }),
    }
}
