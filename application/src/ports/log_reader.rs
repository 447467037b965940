use std::cmp::Reverse;
use std::collections::BTreeMap;

use async_trait::async_trait;
use entracte_domain::id::{CallId, Digest, SessionId, WorkspaceKey};
use entracte_domain::time::Timestamp;

use super::{CallRow, DeletionRow, LogRow, ResourceChangeRow, SessionRow, StoreError};
use crate::instructions::{InstructionScope, InstructionVersion};

/// Which sessions to list. Those that wait for a person come first, then those that work, then those that
/// ended; within each the latest activity first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SessionFilter {
    /// Of this workspace only.
    pub workspace: Option<WorkspaceKey>,
    /// Only those that wait for a person, be it only one who looks at how they ended.
    pub waiting: bool,
    /// Without those that ended.
    pub open: bool,
    /// At most that many; 0 = all.
    pub limit: u32,
}

/// What a list needs of a session: the columns of its row, without the facts and the phase that are encoded in it. A list
/// of many sessions reads this, and rows only of those it looks into.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionListRow {
    /// Its id.
    pub id: SessionId,
    /// Where it lives.
    pub workspace: WorkspaceKey,
    /// `chat`, `seed`, `automation`, `agent`.
    pub kind: String,
    /// Its name.
    pub name: String,
    /// The word for its standing.
    pub standing: String,
    /// The label of its phase.
    pub phase: String,
    /// A person is waited for.
    pub waiting: bool,
    /// The earliest deadline of its state.
    pub wake_at: Option<Timestamp>,
    /// Why it ended.
    pub end_reason: Option<String>,
    /// When it was made.
    pub created_at: Timestamp,
    /// Last input.
    pub last_activity: Timestamp,
}

impl From<SessionRow> for SessionListRow {
    fn from(row: SessionRow) -> Self {
        Self {
            id: row.id,
            workspace: row.workspace,
            kind: row.kind,
            name: row.name,
            standing: row.standing,
            phase: row.phase,
            waiting: row.waiting,
            wake_at: row.wake_at,
            end_reason: row.end_reason,
            created_at: row.created_at,
            last_activity: row.last_activity,
        }
    }
}

/// How many sessions stand where, and what of them waits for a person.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SessionStatistics {
    /// The sessions by the label of their phase.
    pub phases: BTreeMap<String, u64>,
    /// Since when the session waits that waits for a person longest.
    pub waits_since: Option<Timestamp>,
    /// Calls that wait for a decision.
    pub approvals_open: u64,
    /// Calls in state `unknown`.
    pub unknown_outcomes: u64,
}

/// Reads what was committed. Any process may.
///
/// Contract: a commit is seen whole or not at all, and by every reading that begins after it returned; what is not
/// there is an answer and no error. What belongs to another workspace is not there.
///
/// ```
/// # use entracte_application::samples;
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use entracte_application::ports::{LogReader, MockLogReader};
///
/// let hello = samples::said("Hello.")?;
/// let mut log = MockLogReader::new();
/// let row = hello.clone();
/// log.expect_entries()
///     .returning(move |_, _, after, _| Ok((after == 0).then(|| row.clone()).into_iter().collect()));
///
/// // Read on from the last number that was seen.
/// let page = log.entries(&samples::workspace(), &samples::session(), 0, 100).await?;
/// assert_eq!(page, [hello]);
/// assert_eq!(log.entries(&samples::workspace(), &samples::session(), page[0].seq, 100).await?, []);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// [`StoreError::Unavailable`] when the store cannot be asked now, [`StoreError::Inconsistent`] when a row of it
/// cannot be read or decoded. What is not there is no error: it is none, an empty list, or a count of 0.
///
/// # Cancel safety
/// Every method only reads: to drop its future leaves nothing behind.
#[cfg_attr(any(test, feature = "test-helpers"), mockall::automock)]
#[async_trait]
pub trait LogReader: Send + Sync {
    /// Entries of a session with a number greater than `after`, in order, at most `limit`.
    async fn entries(
        &self,
        workspace: &WorkspaceKey,
        session: &SessionId,
        after: u64,
        limit: u32,
    ) -> Result<Vec<LogRow>, StoreError>;

    /// Entries of a session with a sequence greater than `sequence`, in order, at most `limit`. A store that can
    /// find them without reading those before should.
    async fn entries_since(
        &self,
        workspace: &WorkspaceKey,
        session: &SessionId,
        sequence: u64,
        limit: u32,
    ) -> Result<Vec<LogRow>, StoreError> {
        // An entry's number in the workspace is never less than its sequence in its session.
        let mut after = sequence;
        let mut found = Vec::new();
        while found.len() < limit as usize {
            let page = self.entries(workspace, session, after, limit).await?;
            let Some(last) = page.last() else { break };
            after = last.seq;
            found.extend(page.into_iter().filter(|row| row.sequence > sequence));
        }
        found.truncate(limit as usize);
        Ok(found)
    }

    /// Entries of all sessions of a workspace with a number greater than `after`, in order, at most `limit`. Without an
    /// index: of the logs of all its sessions.
    async fn entries_of_all(
        &self,
        workspace: &WorkspaceKey,
        after: u64,
        limit: u32,
    ) -> Result<Vec<LogRow>, StoreError> {
        let here = SessionFilter { workspace: Some(workspace.clone()), ..SessionFilter::default() };
        let mut found = Vec::new();
        for session in self.session_list(&here).await? {
            found.extend(self.entries(workspace, &session.id, after, limit).await?);
        }
        found.sort_by_key(|row| row.seq);
        found.truncate(limit as usize);
        Ok(found)
    }

    /// One entry by its number in the workspace.
    async fn entry(&self, workspace: &WorkspaceKey, seq: u64) -> Result<Option<LogRow>, StoreError>;

    /// The entry that took in the message with this client key. A store with an index does better than to read
    /// all entries of the session, which is done where it has none.
    async fn entry_by_client_key(
        &self,
        workspace: &WorkspaceKey,
        session: &SessionId,
        client_key: &str,
    ) -> Result<Option<LogRow>, StoreError> {
        let entries = self.entries(workspace, session, 0, u32::MAX).await?;
        Ok(entries.into_iter().find(|row| row.client_key.as_deref() == Some(client_key)))
    }

    /// The calls of a session in the order they were asked for.
    async fn calls(&self, workspace: &WorkspaceKey, session: &SessionId) -> Result<Vec<CallRow>, StoreError>;

    /// One call of a session of this workspace.
    async fn call(&self, workspace: &WorkspaceKey, id: &CallId) -> Result<Option<CallRow>, StoreError>;

    /// The calls of a session with this command id in this exchange, latest first. A store with an index can do
    /// better than to look at all of its calls.
    async fn calls_with_command_id(
        &self,
        workspace: &WorkspaceKey,
        session: &SessionId,
        command_id: &Digest,
        exchange: u64,
    ) -> Result<Vec<CallRow>, StoreError> {
        let mut found = self.calls(workspace, session).await?;
        found.retain(|row| row.command_id == *command_id && row.exchange == exchange);
        found.reverse();
        Ok(found)
    }

    /// The sessions that the filter lets through.
    async fn sessions(&self, filter: &SessionFilter) -> Result<Vec<SessionRow>, StoreError>;

    /// The lines of the sessions that the filter lets through, in the same order. A store that can leave the rest of the
    /// rows unread should: a list may be of ten thousand.
    async fn session_list(&self, filter: &SessionFilter) -> Result<Vec<SessionListRow>, StoreError> {
        Ok(self.sessions(filter).await?.into_iter().map(SessionListRow::from).collect())
    }

    /// The ids of a workspace's sessions that begin with `prefix`, in order, at most ten. Without an index: of the list
    /// of all of them.
    async fn sessions_by_prefix(
        &self,
        workspace: &WorkspaceKey,
        prefix: &str,
    ) -> Result<Vec<SessionId>, StoreError> {
        let here = SessionFilter { workspace: Some(workspace.clone()), ..SessionFilter::default() };
        let mut found: Vec<SessionId> =
            self.session_list(&here).await?.into_iter().map(|line| line.id).collect();
        found.retain(|id| id.as_str().starts_with(prefix));
        found.sort();
        found.truncate(10);
        Ok(found)
    }

    /// The calls of a workspace in state `unknown`, latest first: what a person may settle. Without an index: of
    /// the ledgers of all its sessions.
    async fn calls_with_unknown_outcome(&self, workspace: &WorkspaceKey) -> Result<Vec<CallRow>, StoreError> {
        let here = SessionFilter { workspace: Some(workspace.clone()), ..SessionFilter::default() };
        let mut found = Vec::new();
        for session in self.session_list(&here).await? {
            found.extend(
                self.calls(workspace, &session.id).await?.into_iter().filter(|row| row.state == "unknown"),
            );
        }
        found.sort_by_key(|row| Reverse((row.requested_at, row.sequence, row.ordinal)));
        Ok(found)
    }

    /// How the sessions of a workspace stand, or those of all; nothing else of the filter counts. Without an index: of all
    /// lines, and of the ledgers of all sessions.
    async fn session_statistics(&self, of: &SessionFilter) -> Result<SessionStatistics, StoreError> {
        let of = SessionFilter { workspace: of.workspace.clone(), ..SessionFilter::default() };
        let mut census = SessionStatistics::default();
        for line in self.session_list(&of).await? {
            for row in self.calls(&line.workspace, &line.id).await? {
                census.approvals_open += u64::from(line.waiting && row.state == "waiting_decision");
                census.unknown_outcomes += u64::from(row.state == "unknown");
            }
            if line.waiting {
                let earliest = census.waits_since.into_iter().chain([line.last_activity]).min();
                census.waits_since = earliest;
            }
            *census.phases.entry(line.phase).or_default() += 1;
        }
        Ok(census)
    }

    /// What was changed in a workspace that no session takes in, with a number greater than `after`, in order, at most
    /// `limit`.
    async fn changes(
        &self,
        workspace: &WorkspaceKey,
        after: u64,
        limit: u32,
    ) -> Result<Vec<ResourceChangeRow>, StoreError>;

    /// What is left of the sessions of a workspace that were deleted, the latest first, at most `limit`.
    async fn deletions(&self, workspace: &WorkspaceKey, limit: u32) -> Result<Vec<DeletionRow>, StoreError>;

    /// The latest version of the instructions of each of these scopes, in their order; also one that clears them. A scope
    /// that never had any has none.
    async fn instructions(
        &self,
        workspace: &WorkspaceKey,
        scopes: &[InstructionScope],
    ) -> Result<Vec<InstructionVersion>, StoreError>;

    /// The versions of the instructions of a scope that are still kept and older than `before` (none: all of them), the
    /// latest first, at most `limit`.
    async fn versions_of_instructions(
        &self,
        workspace: &WorkspaceKey,
        scope: &InstructionScope,
        before: Option<u64>,
        limit: u32,
    ) -> Result<Vec<InstructionVersion>, StoreError>;

    /// Bytes kept by their hash, which an entry of this session names; none when this workspace has no such session.
    /// Equal bytes are kept once for all workspaces, so a hash alone opens nothing.
    async fn blob(
        &self,
        workspace: &WorkspaceKey,
        session: &SessionId,
        digest: &Digest,
    ) -> Result<Option<Vec<u8>>, StoreError>;
}
