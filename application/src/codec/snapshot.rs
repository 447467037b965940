use entracte_domain::session::{Phase, SessionFacts, SessionRules};

use super::format_version::StorageFormat;
use super::{CodecError, format_version, v1};
use crate::journal::Snapshot;

/// Encodes the state of a session.
///
/// # Errors
/// [`CodecError::Unstorable`] when a value violates an invariant of its type.
pub fn encode_snapshot(facts: &SessionFacts, phase: &Phase) -> Result<Vec<u8>, CodecError> {
    StorageFormat::SESSION.write(&v1::SnapshotV1::of(facts, phase))
}

/// Encodes a snapshot as JSON: the form in files, and the stored form of versions 1 and 2.
///
/// # Errors
/// [`CodecError::Unstorable`] when a value violates an invariant of its type.
pub fn encode_snapshot_as_json(snapshot: &Snapshot) -> Result<Vec<u8>, CodecError> {
    format_version::write("session", &v1::SnapshotV1::of(&snapshot.facts, &snapshot.phase).in_json())
}

/// Decodes a snapshot.
///
/// # Errors
/// [`CodecError::UnknownVersion`] when a newer Entracte wrote it, [`CodecError::Malformed`] when the bytes are
/// damaged.
pub fn decode_snapshot(bytes: &[u8]) -> Result<Snapshot, CodecError> {
    StorageFormat::SESSION.read::<v1::SnapshotV1>(bytes).map(Into::into)
}

/// Whether two states have the same encoding: fields that are not stored are not compared.
///
/// # Errors
/// [`CodecError::Unstorable`] when a value violates an invariant of its type.
pub fn are_encoded_equally(one: &Snapshot, other: &Snapshot) -> Result<bool, CodecError> {
    let bytes_of = |snapshot: &Snapshot| encode_snapshot(&snapshot.facts, &snapshot.phase);
    Ok(bytes_of(one)? == bytes_of(other)?)
}

/// Encodes rules: equal rules give equal bytes, so their hash identifies them.
///
/// # Errors
/// [`CodecError::Unstorable`] when a value violates an invariant of its type.
pub fn encode_rules(rules: &SessionRules) -> Result<Vec<u8>, CodecError> {
    format_version::write("rules", &v1::RulesV1::from(rules))
}

/// Decodes rules.
///
/// # Errors
/// [`CodecError::UnknownVersion`] when a newer Entracte wrote it, [`CodecError::Malformed`] when the bytes are
/// damaged.
pub fn decode_rules(bytes: &[u8]) -> Result<SessionRules, CodecError> {
    format_version::read::<v1::RulesV1, _>("rules", bytes)
}
