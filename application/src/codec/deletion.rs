//! What is left of a deleted session, as it is stored.

use entracte_domain::command::{Call, CallState};
use entracte_domain::id::{ApprovalId, CallId, Digest, SessionId};
use entracte_domain::time::Timestamp;

use super::{CodecError, v1, version};
use crate::ports::DeletionRow;

/// A session that a person deleted, and what of it was open. Neither arguments nor texts: they were deleted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deletion {
    /// The session.
    pub session: SessionId,
    /// When.
    pub at: Timestamp,
    /// By whom.
    pub author: String,
    /// The kind of session.
    pub kind: String,
    /// Its calls that were open, in the order they were asked for.
    pub open: Vec<LeftOpen>,
    /// How many more there were.
    pub more: u32,
}

/// A call that was open when its session was deleted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOpen {
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

impl LeftOpen {
    /// What is kept of a call; nothing of one that came to its end and whose outcome is known.
    pub fn of(call: &Call) -> Option<Self> {
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
            approval: has_approval.then(|| call.approval()),
            card: call.card.clone(),
            command: call.effective().name.clone(),
            command_id: call.effective_id().clone(),
            state: call.state_word().to_owned(),
        })
    }
}

/// The row of a deletion.
///
/// # Errors
/// When it cannot be written, which none is known to be.
pub fn encode_deletion(deletion: &Deletion) -> Result<DeletionRow, CodecError> {
    Ok(DeletionRow {
        session: deletion.session.clone(),
        at: deletion.at,
        author: deletion.author.clone(),
        body: version::write("deletion", &v1::Deletion::from(deletion))?,
    })
}

/// The deletion of a row.
///
/// # Errors
/// When a newer Entracte wrote it, or it is damaged.
pub fn decode_deletion(row: &DeletionRow) -> Result<Deletion, CodecError> {
    let body: v1::Deletion = version::read_shape("deletion", &row.body)?;
    Ok(body.into_domain(row))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_deletion_is_read_as_it_was_written() {
        let open = LeftOpen {
            call: CallId::new("cal_a_4_0"),
            approval: Some(ApprovalId::new("apr_a_4_0")),
            card: Some(Digest::new("c")),
            command: "outside.send".into(),
            command_id: Digest::new("d"),
            state: "waiting_decision".into(),
        };
        let unknown = LeftOpen { approval: None, card: None, state: "unknown".into(), ..open.clone() };
        let deletion = Deletion {
            session: SessionId::new("ses_a"),
            at: Timestamp(7),
            author: "ann".into(),
            kind: "chat".into(),
            open: vec![open, unknown],
            more: 3,
        };
        let row = encode_deletion(&deletion).unwrap();
        assert_eq!((row.session.as_str(), row.at, row.author.as_str()), ("ses_a", Timestamp(7), "ann"));
        assert_eq!(decode_deletion(&row).unwrap(), deletion);
        let nothing = Deletion { open: Vec::new(), more: 0, ..deletion };
        let row = encode_deletion(&nothing).unwrap();
        assert_eq!(String::from_utf8_lossy(&row.body), r#"{"v":1,"kind":"chat"}"#);
        assert_eq!(decode_deletion(&row).unwrap(), nothing);
    }
}
