use entracte_domain::session::{Phase, SessionFacts, SessionRules};

use super::format_version::StorageFormat;
use super::{CodecError, format_version, v1};
use crate::journal::Snapshot;

/// The bytes of a session as it stands.
///
/// # Errors
/// [`CodecError::Unstorable`] when a value in it breaks a promise of its type.
pub fn encode_snapshot(facts: &SessionFacts, phase: &Phase) -> Result<Vec<u8>, CodecError> {
    StorageFormat::SESSION.write(&v1::SnapshotV1::of(facts, phase))
}

/// A snapshot in JSON: as files have it, and as versions 1 and 2 stored it.
///
/// # Errors
/// [`CodecError::Unstorable`] when a value in it breaks a promise of its type.
pub fn encode_snapshot_as_json(snapshot: &Snapshot) -> Result<Vec<u8>, CodecError> {
    format_version::write("session", &v1::SnapshotV1::of(&snapshot.facts, &snapshot.phase).in_json())
}

/// The snapshot that these bytes are of.
///
/// # Errors
/// [`CodecError::UnknownVersion`] when a newer Entracte wrote it, [`CodecError::Malformed`] when the bytes are
/// damaged.
pub fn decode_snapshot(bytes: &[u8]) -> Result<Snapshot, CodecError> {
    StorageFormat::SESSION.read::<v1::SnapshotV1>(bytes).map(Into::into)
}

/// Whether two states are the same, as far as they are stored: what is not stored is not compared.
///
/// # Errors
/// [`CodecError::Unstorable`] when a value in one of them breaks a promise of its type.
pub fn are_encoded_equally(one: &Snapshot, other: &Snapshot) -> Result<bool, CodecError> {
    let bytes_of = |snapshot: &Snapshot| encode_snapshot(&snapshot.facts, &snapshot.phase);
    Ok(bytes_of(one)? == bytes_of(other)?)
}

/// The bytes of rules: equal for equal rules, so their hash names them.
///
/// # Errors
/// [`CodecError::Unstorable`] when a value in it breaks a promise of its type.
pub fn encode_rules(rules: &SessionRules) -> Result<Vec<u8>, CodecError> {
    format_version::write("rules", &v1::RulesV1::from(rules))
}

/// The rules that these bytes are of.
///
/// # Errors
/// [`CodecError::UnknownVersion`] when a newer Entracte wrote it, [`CodecError::Malformed`] when the bytes are
/// damaged.
pub fn decode_rules(bytes: &[u8]) -> Result<SessionRules, CodecError> {
    format_version::read::<v1::RulesV1, _>("rules", bytes)
}
