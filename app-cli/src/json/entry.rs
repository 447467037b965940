use entracte_application::codec::{CodecError, Entry, encode_entry};
use serde::Serialize;
use serde_json::value::RawValue;

use crate::render::time::iso;

/// `entracte.entry/1`: an entry of the log, with all of it as it is stored.
#[derive(Serialize)]
pub(crate) struct EntryObject {
    schema: &'static str,
    seq: u64,
    session: String,
    sequence: u64,
    at: String,
    event: &'static str,
    entry: Box<RawValue>,
}

impl EntryObject {
    /// The entry.
    pub(crate) fn new(entry: &Entry) -> Result<Self, CodecError> {
        let row = encode_entry(entry)?;
        let malformed = |detail: String| CodecError::Malformed { what: "log entry", detail };
        let text = String::from_utf8(row.body).map_err(|error| malformed(error.to_string()))?;
        let raw = RawValue::from_string(text).map_err(|error| malformed(error.to_string()))?;
        Ok(Self {
            schema: "entracte.entry/1",
            seq: entry.seq,
            session: entry.session.to_string(),
            sequence: entry.sequence,
            at: iso(entry.at),
            event: entry.input.label(),
            entry: raw,
        })
    }
}
