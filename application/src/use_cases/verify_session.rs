use std::collections::HashMap;
use std::sync::Arc;

use entracte_domain::id::{Digest, SessionId, WorkspaceKey};
use entracte_domain::session::{SessionFacts, SessionRules};

use super::read_session::session_not_found;
use super::{ReadLog, UseCaseError};
use crate::codec::{are_encoded_equally, decode_rules, decode_snapshot};
use crate::journal::{JournalEntry, Snapshot, referenced_rules, replay_entries};
use crate::ports::{LogReader, SessionRow, StoreError, WorkspaceStore};
use crate::retention::may_be_going;
use crate::texts::saying;

/// A stored state that differs from the replay of the journal.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReplayMismatch {
    /// The session with the mismatch.
    pub session: SessionId,
    /// The stored state.
    pub stored: String,
    /// The state replayed from the journal.
    pub replayed: String,
}

use_case! {
    /// Replays a session's journal and compares the result with the stored state. Executes nothing.
    ///
    /// ```
    /// # use entracte_application::{samples::example::*, use_cases::*};
    /// # example(async {
    /// // No entry of the journal leads to the stored state.
    /// let verify = VerifySession::new(Arc::new(samples::store()), Arc::new(samples::empty_log()));
    /// let mismatch = verify.run(&samples::workspace(), &samples::session()).await?.unwrap();
    /// assert!(mismatch.stored.contains("First chat"));
    /// assert!(!mismatch.replayed.contains("First chat"));
    /// # Ok(()) });
    /// ```
    pub struct VerifySession reads (store: dyn WorkspaceStore, log: dyn LogReader)
}

impl VerifySession {
    /// `None` if the journal gives the stored state.
    ///
    /// # Errors
    /// When there is no such session, its rows cannot be read, or it is going by the retention policy and the first part
    /// of its log is gone.
    pub async fn run(
        &self,
        workspace: &WorkspaceKey,
        session: &SessionId,
    ) -> Result<Option<ReplayMismatch>, UseCaseError> {
        let row = self.store.session(workspace, session).await?.ok_or_else(|| session_not_found(session))?;
        let stored = decode_snapshot(&row.body)?;
        let replayed = self.replayed(&row, &stored).await?;
        if are_encoded_equally(&stored, &replayed)? {
            return Ok(None);
        }
        let show = |snapshot: &Snapshot| format!("{:?} {:?}", snapshot.phase, snapshot.facts);
        Ok(Some(ReplayMismatch {
            session: session.clone(),
            stored: show(&stored),
            replayed: show(&replayed),
        }))
    }

    async fn replayed(&self, row: &SessionRow, stored: &Snapshot) -> Result<Snapshot, UseCaseError> {
        let mut entries = ReadLog::new(self.log.clone()).entries(&row.workspace, &row.id, 0).await?;
        // A working session may have continued between the two reads.
        entries.retain(|entry| entry.sequence <= row.sequence);
        reject_going_session(stored, entries.first())?;
        let mut rules = HashMap::new();
        for digest in referenced_rules(&entries) {
            rules.insert(digest.clone(), self.rules(row, digest).await?);
        }
        let created_at = entries.first().map_or(row.created_at, |entry| entry.at);
        let facts = SessionFacts::new(row.id.clone(), row.workspace.clone(), row.kind, created_at);
        Ok(replay_entries(facts, &entries, &rules))
    }

    async fn rules(&self, row: &SessionRow, digest: &Digest) -> Result<SessionRules, UseCaseError> {
        let Some(bytes) = self.log.blob(&row.workspace, &row.id, digest).await? else {
            return Err(damaged(format!("blobs: the rules {digest} of an entry are missing")));
        };
        Ok(decode_rules(&bytes)?)
    }
}

/// Refuses a session whose log begins with this entry if the entries before it went by the retention policy.
pub(super) fn reject_going_session(
    stored: &Snapshot,
    first: Option<&JournalEntry>,
) -> Result<(), UseCaseError> {
    let begins_late = first.is_some_and(|first| first.sequence > 1);
    if !begins_late || !may_be_going(&stored.facts, &stored.phase) {
        return Ok(());
    }
    let goes = saying!("verify-session-goes", session = stored.facts.id.as_str());
    Err(UseCaseError::NotApplicable(goes.into()))
}

fn damaged(what: String) -> UseCaseError {
    UseCaseError::Store(StoreError::Inconsistent(what))
}
