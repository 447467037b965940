//! Calls of unknown outcome that a person settled.

use entracte_domain::id::CallId;
use entracte_domain::ledger_state::LedgerState;

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
        row.state = LedgerState::settled(happened);
        draft.calls.insert(call.clone(), row);
    }
    Ok(())
}
