use entracte_domain::call::Call;
use entracte_domain::id::SessionId;

use super::format_version::StorageFormat;
use super::{CodecError, v1};
use crate::ports::CallRow;

/// The position of a call: the primary key of its ledger row.
#[derive(Clone, Copy, Debug)]
pub struct CallPosition<'a> {
    /// Session that requested it.
    pub session: &'a SessionId,
    /// Sequence of the input that requested it.
    pub sequence: u64,
    /// Its number within the input, from 0.
    pub ordinal: u32,
}

/// Encodes the ledger row of a call; `result_seq` is the log number of the entry that contains its result.
///
/// The content of a succeeded call is not in the row: the log has it, at `result_seq`. All other results are short and
/// stored here.
///
/// # Errors
/// [`CodecError::Unstorable`] when a value violates an invariant of its type.
pub fn encode_call(
    call: &Call,
    position: CallPosition<'_>,
    result_seq: Option<u64>,
) -> Result<CallRow, CodecError> {
    Ok(CallRow {
        id: call.id.clone(),
        session: position.session.clone(),
        sequence: position.sequence,
        ordinal: position.ordinal,
        command: call.command.name.clone(),
        command_id: call.command_id.clone(),
        kind: call.kind,
        state: call.ledger_state(),
        attempt: call.attempt,
        exchange: call.exchange,
        requested_at: call.requested_at,
        finished_at: call.result().map(|result| result.at),
        result_seq,
        body: StorageFormat::CALL.write(&v1::LedgerCallV1::from(call))?,
    })
}

/// Decodes the call of a row; its content is empty if it succeeded.
///
/// # Errors
/// [`CodecError::UnknownVersion`] when a newer Entracte wrote it, [`CodecError::Malformed`] when the row is damaged.
pub fn decode_call(row: &CallRow) -> Result<Call, CodecError> {
    let body: v1::LedgerCallV1 = StorageFormat::CALL.read(&row.body)?;
    body.into_domain(row)
}
