//! Calls of unknown outcome that a person settled.

use entracte_domain::id::CallId;

use crate::runtime::turn::context::{TurnContext, TurnStop};
use crate::runtime::turn::draft::TurnDraft;
use crate::runtime::turn::lookups::read_call_row;

/// Stores a person's finding in the ledger row, which keeps the result that the call got.
pub(crate) fn mark_settled(
    turn: &TurnContext<'_>,
    draft: &mut TurnDraft,
    call: &CallId,
    happened: bool,
) -> Result<(), TurnStop> {
    if let Some(row) = read_call_row(turn, call)? {
        let mut row = row.clone();
        row.state = settled_word(happened).to_owned();
        draft.calls.insert(call.clone(), row);
    }
    Ok(())
}

/// The ledger state of a call that a person settled.
pub(crate) fn settled_word(happened: bool) -> &'static str {
    if happened { "settled_happened" } else { "settled_absent" }
}
