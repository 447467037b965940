use entracte_domain::call::{Call, CallState};
use entracte_domain::id::{ApprovalId, CallId, Digest, SessionId};
use entracte_domain::time::Timestamp;

/// A session that a person deleted, and what of it was open. Neither arguments nor texts: they were deleted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionDeletion {
    /// The session.
    pub session: SessionId,
    /// When.
    pub at: Timestamp,
    /// By whom.
    pub author: String,
    /// The kind of session.
    pub kind: String,
    /// Its calls that were open, in the order they were asked for.
    pub open: Vec<UnfinishedCall>,
    /// How many more there were.
    pub more: u32,
}

/// A call that was open when its session was deleted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnfinishedCall {
    /// The call.
    pub call: CallId,
    /// The approval that was asked or given and not used.
    pub approval: Option<ApprovalId>,
    /// The digest of its card.
    pub card: Option<Digest>,
    /// Its command.
    pub command: String,
    /// Hash of the command with its arguments.
    pub command_id: Digest,
    /// The word for its state.
    pub state: String,
}

impl UnfinishedCall {
    /// What is kept of a call; nothing of one that came to its end and whose outcome is known.
    pub fn from_call(call: &Call) -> Option<Self> {
        let has_approval = match &call.state {
            CallState::WaitingDecision | CallState::Approved(_) => true,
            CallState::Proposed
            | CallState::Follows(_)
            | CallState::Started { .. }
            | CallState::Delayed { .. } => false,
            CallState::Finished { .. } if call.state_word() == "unknown" => false,
            CallState::Finished { .. } => return None,
        };
        Some(Self {
            call: call.id.clone(),
            approval: has_approval.then(|| call.approval_id()),
            card: call.card.clone(),
            command: call.effective_command().name.clone(),
            command_id: call.effective_command_id().clone(),
            state: call.state_word().to_owned(),
        })
    }
}
