use super::format_version::StorageFormat;
use super::{CodecError, format_version, v1};
use crate::journal::JournalEntry;
use crate::ports::LogRow;

/// Encodes the row of an entry. The body omits the values of the columns.
///
/// # Errors
/// [`CodecError::Unstorable`] when a value violates an invariant of its type.
pub fn encode_entry(entry: &JournalEntry) -> Result<LogRow, CodecError> {
    let properties = entry.input.properties();
    Ok(LogRow {
        seq: entry.seq,
        session: entry.session.clone(),
        sequence: entry.sequence,
        at: entry.at,
        label: properties.kind.word().to_owned(),
        client_key: properties.client_key.map(str::to_owned),
        body: StorageFormat::ENTRY.write(&v1::EntryV1::from(entry))?,
    })
}

/// Encodes the body of an entry's row as JSON: the form in files and for people, and the stored form of version 1.
///
/// # Errors
/// [`CodecError::Unstorable`] when a value violates an invariant of its type.
pub fn encode_entry_as_json(entry: &JournalEntry) -> Result<Vec<u8>, CodecError> {
    format_version::write("log entry", &v1::EntryV1::from(entry).in_json())
}

/// Decodes the entry of a row.
///
/// # Errors
/// [`CodecError::UnknownVersion`] when a newer Entracte wrote it, [`CodecError::Malformed`] when the bytes are
/// damaged.
pub fn decode_entry(row: &LogRow) -> Result<JournalEntry, CodecError> {
    let body: v1::EntryV1 = StorageFormat::ENTRY.read(&row.body)?;
    Ok(body.into_domain(row))
}
