use entracte_domain::command::Call;
use entracte_domain::id::SessionId;

use super::CodecError;
use crate::ports::CallRow;

/// The ledger row of the call that is number `ordinal` of the input `sequence`; `result_seq` is the log number
/// of the entry that brought its result.
///
/// What a succeeded call answered is not in the row: the log has it, at `result_seq`. All other results are
/// short and kept here.
pub fn encode_call(
    call: &Call,
    session: &SessionId,
    sequence: u64,
    ordinal: u32,
    result_seq: Option<u64>,
) -> Result<CallRow, CodecError> {
    let _ = (call, session, sequence, ordinal, result_seq);
    Err(super::not_yet("call"))
}

/// The call that this row is of; with empty content when it succeeded.
pub fn decode_call(row: &CallRow) -> Result<Call, CodecError> {
    let _ = row;
    Err(super::not_yet("call"))
}
