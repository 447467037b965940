//! Encoding of the records of deleted sessions.

use super::{CodecError, format_version, v1};
use crate::journal::SessionDeletion;
use crate::ports::DeletionRow;

/// Encodes the row of a deletion.
///
/// # Errors
/// [`CodecError::Unstorable`]; no deletion is known to cause it.
pub fn encode_deletion(deletion: &SessionDeletion) -> Result<DeletionRow, CodecError> {
    Ok(DeletionRow {
        session: deletion.session.clone(),
        at: deletion.at,
        author: deletion.author.clone(),
        body: format_version::write("deletion", &v1::DeletionV1::from(deletion))?,
    })
}

/// Decodes the deletion of a row.
///
/// # Errors
/// When a newer Entracte wrote it, or it is damaged.
pub fn decode_deletion(row: &DeletionRow) -> Result<SessionDeletion, CodecError> {
    let body: v1::DeletionV1 = format_version::read_shape("deletion", &row.body)?;
    Ok(body.into_domain(row))
}

#[cfg(test)]
mod tests {
    use entracte_domain::id::{ApprovalId, CallId, Digest, SessionId};
    use entracte_domain::time::Timestamp;

    use super::*;
    use crate::journal::UnfinishedCall;

    #[test]
    fn a_deletion_is_read_as_it_was_written() {
        let open = UnfinishedCall {
            call: CallId::new("cal_a_4_0"),
            approval: Some(ApprovalId::new("apr_a_4_0")),
            card: Some(Digest::new("c")),
            command: "outside.send".into(),
            command_id: Digest::new("d"),
            state: "waiting_decision".into(),
        };
        let unknown = UnfinishedCall { approval: None, card: None, state: "unknown".into(), ..open.clone() };
        let deletion = SessionDeletion {
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
        let nothing = SessionDeletion { open: Vec::new(), more: 0, ..deletion };
        let row = encode_deletion(&nothing).unwrap();
        assert_eq!(String::from_utf8_lossy(&row.body), r#"{"v":1,"kind":"chat"}"#);
        assert_eq!(decode_deletion(&row).unwrap(), nothing);
    }
}
