//! A session as a turn works on it, and as memory holds it between turns.

use std::sync::Arc;

use entracte_domain::session::{Phase, SessionFacts};

use crate::codec;
use crate::ports::{SessionRow, StoreError};

/// A session of the draft.
#[derive(Clone, Debug)]
pub(crate) struct SessionDraft {
    /// The facts as in memory, until an input changes them.
    pub(crate) facts: Arc<SessionFacts>,
    pub(crate) phase: Phase,
    /// The sequence of its row; `None` if it is new.
    pub(crate) stored: Option<u64>,
}

impl SessionDraft {
    /// The draft of the session whose snapshot this row is.
    pub(crate) fn from_row(row: &SessionRow) -> Result<Self, StoreError> {
        let snapshot = codec::decode_snapshot(&row.body)
            .map_err(|fault| StoreError::Inconsistent(format!("sessions.body of {}: {fault}", row.id)))?;
        Ok(Self { facts: Arc::new(snapshot.facts), phase: snapshot.phase, stored: Some(row.sequence) })
    }
}
