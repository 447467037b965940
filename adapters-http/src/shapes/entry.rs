//! The shape of an entry of a journal.

use std::borrow::Cow;

use entracte_application::codec::{CodecError, decode_entry, encode_entry_as_json};
use entracte_application::journal::JournalEntry;
use entracte_application::ports::LogRow;
use entracte_domain::id::{RoundAttempt, SessionId};
use entracte_domain::session::{JournalNote, LogAppend};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use utoipa::ToSchema;

use super::{instant, iso};

/// An entry of the journal.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct EntryShape {
    /// Its number in the workspace.
    pub seq: u64,
    /// Its session.
    #[serde(default)]
    pub session: String,
    /// Its number in the session.
    pub sequence: u64,
    /// When.
    pub at: String,
    /// What happened.
    pub label: Cow<'static, str>,
    /// The model call that it started; null if it started none.
    pub model_call: Option<String>,
    /// As it is stored, with the order of members and the digits of numbers.
    #[schema(value_type = Object)]
    pub entry: Box<RawValue>,
}

impl EntryShape {
    /// The shape of an entry.
    ///
    /// # Errors
    /// When a value of it violates an invariant of its type.
    pub fn new(entry: &JournalEntry) -> Result<Self, CodecError> {
        let stored = String::from_utf8_lossy(&encode_entry_as_json(entry)?).into_owned();
        Ok(Self {
            seq: entry.seq,
            session: entry.session.to_string(),
            sequence: entry.sequence,
            at: iso(entry.at),
            label: entry.input.label().into(),
            model_call: started_call(entry),
            entry: RawValue::from_string(stored).map_err(malformed)?,
        })
    }

    /// Decodes the stored entry.
    ///
    /// # Errors
    /// When a newer Entracte wrote it, or it is damaged.
    pub fn decode(&self) -> Result<JournalEntry, CodecError> {
        let no_instant = || CodecError::Malformed { what: WHAT, detail: format!("at {}", self.at) };
        decode_entry(&LogRow {
            seq: self.seq,
            session: SessionId::new(&*self.session),
            sequence: self.sequence,
            at: instant(&self.at).ok_or_else(no_instant)?,
            label: self.label.to_string(),
            client_key: None,
            body: self.entry.get().as_bytes().to_vec(),
        })
    }
}

/// The stored form of an entry from its JSON text.
///
/// # Errors
/// When it is not valid JSON.
pub(super) fn stored_text(text: &str) -> Result<Box<RawValue>, CodecError> {
    RawValue::from_string(text.to_owned()).map_err(malformed)
}

const WHAT: &str = "log entry";

fn malformed(error: serde_json::Error) -> CodecError {
    CodecError::Malformed { what: WHAT, detail: error.to_string() }
}

fn started_call(entry: &JournalEntry) -> Option<String> {
    entry.appended.iter().find_map(|appended| match appended {
        LogAppend::Note(JournalNote::AttemptStarted { round, attempt }) => {
            let number = RoundAttempt { round: *round, attempt: *attempt };
            Some(entry.session.model_call_id(number).to_string())
        }
        LogAppend::Note(_) | LogAppend::Message(_) => None,
    })
}

#[cfg(test)]
mod tests {
    use entracte_application::samples;

    use super::*;

    /// Input: an entry over the API; expected: the same entry again, and the same text of it.
    #[test]
    fn entry_is_decoded_from_its_shape() {
        let row = samples::user_message_row("Hello. {\"n\": 1.50}").unwrap();
        let entry = decode_entry(&row).unwrap();
        let shape = EntryShape::new(&entry).unwrap();
        let received: EntryShape = serde_json::from_str(&serde_json::to_string(&shape).unwrap()).unwrap();
        assert_eq!(received.entry.get(), shape.entry.get());
        assert_eq!(received.decode().unwrap(), entry);
    }
}
