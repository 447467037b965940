use entracte_domain::session::Input;

use super::format_version::StorageFormat;
use super::{CodecError, format_version, v1};
use crate::journal::JournalEntry;
use crate::ports::LogRow;

/// Encodes the row of an entry. The body omits the values of the columns.
///
/// # Errors
/// [`CodecError::Unstorable`] when a value violates an invariant of its type.
pub fn encode_entry(entry: &JournalEntry) -> Result<LogRow, CodecError> {
    Ok(LogRow {
        seq: entry.seq,
        session: entry.session.clone(),
        sequence: entry.sequence,
        at: entry.at,
        label: entry.input.label().to_owned(),
        client_key: client_key(&entry.input),
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

fn client_key(input: &Input) -> Option<String> {
    match input {
        Input::UserMessageSent(sent) => sent.client_key.clone(),
        Input::SessionCreated(_)
        | Input::SessionActivationRequested { .. }
        | Input::StandingChanged { .. }
        | Input::AiResponseReceived(_)
        | Input::ValidationReceived { .. }
        | Input::CommunicationResponseReceived { .. }
        | Input::CallFinished { .. }
        | Input::CallSettled { .. }
        | Input::CompletionConfirmed { .. }
        | Input::CompletionRejected { .. }
        | Input::NetworkErrorOccurred { .. }
        | Input::ProviderErrorOccurred { .. }
        | Input::NetworkAvailable
        | Input::SystemErrorOccurred { .. }
        | Input::StopRequested { .. }
        | Input::RoundInterrupted { .. }
        | Input::TimeReached
        | Input::MissionContinued { .. }
        | Input::MissionEnded { .. }
        | Input::ChildEnded { .. }
        | Input::TaskFinished { .. }
        | Input::CompactionRequested { .. }
        | Input::BudgetReached { .. }
        | Input::ContextCompacted { .. }
        | Input::CompactionFailed { .. }
        | Input::RulesChanged(_)
        | Input::SessionCopied { .. }
        | Input::MessagesRead { .. }
        | Input::MessageWithdrawn { .. }
        | Input::EndSeen { .. }
        | Input::SessionOpened(_)
        | Input::SessionLeft { .. }
        | Input::SchedulerHeartbeat => None,
    }
}
