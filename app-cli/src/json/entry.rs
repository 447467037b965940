use entracte_application::codec::{CodecError, encode_entry_as_json};
use entracte_application::journal::JournalEntry;
use entracte_domain::id::RoundAttempt;
use entracte_domain::session::{JournalNote, LogAppend};
use serde::Serialize;
use serde_json::value::RawValue;

use crate::render::time::iso;

/// `entracte.entry/1`: a log entry with its whole stored content.
#[derive(Serialize)]
pub(crate) struct EntryObject {
    schema: &'static str,
    seq: u64,
    session: String,
    sequence: u64,
    at: String,
    event: &'static str,
    /// The model call that it started, if any.
    model_call: Option<String>,
    entry: Box<RawValue>,
}

impl EntryObject {
    /// The entry.
    pub(crate) fn new(entry: &JournalEntry) -> Result<Self, CodecError> {
        let json = encode_entry_as_json(entry)?;
        let malformed = |detail: String| CodecError::Malformed { what: "log entry", detail };
        let text = String::from_utf8(json).map_err(|error| malformed(error.to_string()))?;
        let raw = RawValue::from_string(text).map_err(|error| malformed(error.to_string()))?;
        Ok(Self {
            schema: "entracte.entry/1",
            seq: entry.seq,
            session: entry.session.to_string(),
            sequence: entry.sequence,
            at: iso(entry.at),
            event: entry.input.label(),
            model_call: entry.appended.iter().find_map(|appended| match appended {
                LogAppend::Note(JournalNote::AttemptStarted { round, attempt }) => Some(
                    entry
                        .session
                        .model_call_id(RoundAttempt { round: *round, attempt: *attempt })
                        .to_string(),
                ),
                LogAppend::Note(_) | LogAppend::Message(_) => None,
            }),
            entry: raw,
        })
    }
}
