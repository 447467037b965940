use entracte_domain::call::{Call, CallState};
use entracte_domain::id::{ApprovalId, CallId, Digest, SessionId};
use entracte_domain::ledger_state::LedgerState;
use entracte_domain::time::Timestamp;

/// A deleted session, with its open calls. It contains neither arguments nor texts: they were deleted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionDeletion {
    /// The deleted session.
    pub session: SessionId,
    /// When it was deleted.
    pub at: Timestamp,
    /// The person who deleted it.
    pub author: String,
    /// The session kind.
    pub kind: String,
    /// Its open calls, in the order they were requested.
    pub open: Vec<UnfinishedCall>,
    /// The number of further open calls.
    pub more: u32,
}

/// A call that was open when its session was deleted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnfinishedCall {
    /// Unique id of the call.
    pub call: CallId,
    /// The approval that was requested or given and not used.
    pub approval: Option<ApprovalId>,
    /// The digest of the approval card.
    pub card: Option<Digest>,
    /// The name of the command.
    pub command: String,
    /// The hash of the command with its arguments.
    pub command_id: Digest,
    /// The stored word of its state.
    pub state: String,
}

impl UnfinishedCall {
    /// The record of an open call; `None` for a call that has ended with a known outcome.
    pub fn from_call(call: &Call) -> Option<Self> {
        let has_approval = match &call.state {
            CallState::WaitingDecision | CallState::Approved(_) => true,
            CallState::Proposed
            | CallState::Follows(_)
            | CallState::Started { .. }
            | CallState::Delayed { .. } => false,
            CallState::Finished { .. } if call.ledger_state() == LedgerState::Unknown => false,
            CallState::Finished { .. } => return None,
        };
        Some(Self {
            call: call.id.clone(),
            approval: has_approval.then(|| call.approval_id()),
            card: call.card.clone(),
            command: call.effective_command().name.clone(),
            command_id: call.effective_command_id().clone(),
            state: call.ledger_state().word().to_owned(),
        })
    }
}
