use std::cmp::Reverse;
use std::collections::BTreeMap;

use async_trait::async_trait;
use entracte_domain::id::{CallId, Digest, SessionId, WorkspaceKey};
use entracte_domain::ledger_state::LedgerState;
use entracte_domain::time::Timestamp;

use super::{
    CallRow, CostFilter, CostPage, DeletionRow, InboxRow, LatestEndedQuery, LogExtent, LogRow,
    ResourceChangeRow, RestingSessionFilter, SessionListRow, SessionPage, SessionPageFilter, SessionRow,
    StoreError, TriageRows,
};
use crate::instructions::{InstructionScope, InstructionVersion};

/// Selects the sessions to list. Sessions that wait for a person come first, then active ones, then ended ones; within
/// each group the latest activity first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SessionFilter {
    /// Only sessions of this workspace.
    pub workspace: Option<WorkspaceKey>,
    /// Only sessions that wait for a person, including ended ones whose end was not reviewed yet.
    pub waiting: bool,
    /// Exclude ended sessions.
    pub open: bool,
    /// The maximum number of sessions; 0 = unlimited.
    pub limit: u32,
}

/// The sessions that match a filter, in its order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SessionRows {
    /// The rows of this version.
    pub rows: Vec<SessionRow>,
    /// The rows that this version cannot read: they are damaged, or a later version wrote them.
    pub unreadable: Vec<UnreadableSession>,
}

/// A row of a session that cannot be read. It does not keep the others from being listed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnreadableSession {
    /// What a list shows of it.
    pub line: SessionListRow,
    /// Why it cannot be read, with table, key and column.
    pub why: String,
}

impl From<Vec<SessionRow>> for SessionRows {
    fn from(rows: Vec<SessionRow>) -> Self {
        Self { rows, unreadable: Vec::new() }
    }
}

/// Session counts by phase, and the work that waits for a person.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SessionStatistics {
    /// Number of sessions per phase label.
    pub phases: BTreeMap<String, u64>,
    /// Since when the session that waits for a person longest has waited.
    pub waits_since: Option<Timestamp>,
    /// Number of calls that wait for a decision.
    pub approvals_open: u64,
    /// Number of calls in state `unknown`.
    pub unknown_outcomes: u64,
}

/// Reads committed data. Any process may use it.
///
/// Contract: a read sees a commit whole or not at all, and every read that begins after the commit returned sees it; a
/// missing row is a result, not an error. Rows of other workspaces are treated as missing.
///
/// ```
/// # use entracte_application::samples;
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use entracte_application::ports::{LogReader, MockLogReader};
///
/// let hello = samples::user_message_row("Hello.")?;
/// let mut log = MockLogReader::new();
/// let row = hello.clone();
/// log.expect_entries()
///     .returning(move |_, _, after, _| Ok((after == 0).then(|| row.clone()).into_iter().collect()));
///
/// // Continue after the last number that was read.
/// let page = log.entries(&samples::workspace(), &samples::session(), 0, 100).await?;
/// assert_eq!(page, [hello]);
/// assert_eq!(log.entries(&samples::workspace(), &samples::session(), page[0].seq, 100).await?, []);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// [`StoreError::Unavailable`] when the store cannot be queried now, [`StoreError::Inconsistent`] when a row cannot be
/// read or decoded. A missing row is not an error: the result is `None`, an empty list, or a count of 0.
///
/// # Cancel safety
/// Every method only reads: dropping its future leaves nothing behind.
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

    /// Entries of a session with a sequence greater than `sequence`, in order, at most `limit`. A store that can find
    /// them without reading the earlier ones should override this.
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

    /// Entries of all sessions of a workspace with a number greater than `after`, in order, at most `limit`. The
    /// default, for stores without an index, reads the logs of all sessions.
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

    /// The entry that received the message with this client key. The default reads all entries of the session; a store
    /// with an index should override it.
    async fn entry_by_client_key(
        &self,
        workspace: &WorkspaceKey,
        session: &SessionId,
        client_key: &str,
    ) -> Result<Option<LogRow>, StoreError> {
        let entries = self.entries(workspace, session, 0, u32::MAX).await?;
        Ok(entries.into_iter().find(|row| row.client_key.as_deref() == Some(client_key)))
    }

    /// The calls of a session in the order they were requested.
    async fn calls(&self, workspace: &WorkspaceKey, session: &SessionId) -> Result<Vec<CallRow>, StoreError>;

    /// One call of a session of this workspace, if it exists.
    async fn call(&self, workspace: &WorkspaceKey, id: &CallId) -> Result<Option<CallRow>, StoreError>;

    /// The calls of a session with this command id in this exchange, latest first. The default scans all of its calls;
    /// a store with an index should override it.
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

    /// The sessions that match the filter. A row that cannot be read is no error: it is among those.
    async fn sessions(&self, filter: &SessionFilter) -> Result<SessionRows, StoreError>;

    /// The list rows of the sessions that match the filter, in the same order. A store should read only these columns:
    /// a list may have ten thousand sessions.
    async fn session_list(&self, filter: &SessionFilter) -> Result<Vec<SessionListRow>, StoreError> {
        let SessionRows { rows, unreadable } = self.sessions(filter).await?;
        let lines = unreadable.into_iter().map(|session| session.line);
        Ok(rows.into_iter().map(SessionListRow::from).chain(lines).collect())
    }

    /// A page of the list of a workspace's sessions. The default, for stores without an index, reads the whole list.
    ///
    /// # Errors
    /// [`StoreError::Inconsistent`] also when the cursor was not given for this filter.
    async fn session_page(&self, filter: &SessionPageFilter) -> Result<SessionPage, StoreError> {
        let here = SessionFilter { workspace: Some(filter.workspace.clone()), ..SessionFilter::default() };
        filter.select_page(self.session_list(&here).await?)
    }

    /// The ids of a workspace's sessions that begin with `prefix`, in order, at most ten. The default, for stores
    /// without an index, scans the list of all sessions.
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

    /// The calls of a workspace in state `unknown`, latest first, which a person may settle. The default, for stores
    /// without an index, reads the ledgers of all sessions.
    async fn calls_with_unknown_outcome(&self, workspace: &WorkspaceKey) -> Result<Vec<CallRow>, StoreError> {
        let here = SessionFilter { workspace: Some(workspace.clone()), ..SessionFilter::default() };
        let mut found = Vec::new();
        for session in self.session_list(&here).await? {
            found.extend(
                self.calls(workspace, &session.id)
                    .await?
                    .into_iter()
                    .filter(|row| row.state == LedgerState::Unknown),
            );
        }
        found.sort_by_key(|row| Reverse((row.requested_at, row.sequence, row.ordinal)));
        Ok(found)
    }

    /// The session counts of a workspace, or of all workspaces; other fields of the filter are ignored. The default,
    /// for stores without an index, reads all list rows and the ledgers of all sessions.
    async fn session_statistics(&self, of: &SessionFilter) -> Result<SessionStatistics, StoreError> {
        let of = SessionFilter { workspace: of.workspace.clone(), ..SessionFilter::default() };
        let mut census = SessionStatistics::default();
        for line in self.session_list(&of).await? {
            for row in self.calls(&line.workspace, &line.id).await? {
                census.approvals_open += u64::from(line.waiting && row.state == LedgerState::WaitingDecision);
                census.unknown_outcomes += u64::from(row.state == LedgerState::Unknown);
            }
            if line.waiting {
                let earliest = census.waits_since.into_iter().chain([line.last_activity]).min();
                census.waits_since = earliest;
            }
            *census.phases.entry(line.phase.word().to_owned()).or_default() += 1;
        }
        Ok(census)
    }

    /// Sums of what attempts of model calls used and cost ([`WorkspaceCommit::costs`](super::WorkspaceCommit)), in a
    /// fixed order. A store must not read the log for it, and needs memory for one page only.
    ///
    /// # Errors
    /// [`StoreError::Inconsistent`] also when the cursor was not given for this filter.
    async fn cost_sums(&self, filter: &CostFilter) -> Result<CostPage, StoreError>;

    /// The number of sessions of a workspace whose attempts are not among the sums, because their log could not be
    /// read when they were added up. 0 in a store that always kept them.
    async fn uncounted_sessions(&self, _workspace: &WorkspaceKey) -> Result<u64, StoreError> {
        Ok(0)
    }

    /// Sessions of a workspace by age, for retention. The default, for stores that keep no
    /// [`RetentionMarkRow`](super::RetentionMarkRow)s, reads all sessions and leaves none of them out for what was removed.
    async fn resting_sessions(&self, filter: &RestingSessionFilter) -> Result<Vec<SessionRow>, StoreError> {
        let here = SessionFilter { workspace: Some(filter.workspace.clone()), ..SessionFilter::default() };
        Ok(filter.select(self.sessions(&here).await?.rows, |_, _| 0))
    }

    /// When an ended session of a workspace, by its place among the latest, received its last input; `None` if there
    /// are fewer. The default reads all sessions.
    async fn latest_ended(&self, query: &LatestEndedQuery) -> Result<Option<Timestamp>, StoreError> {
        let here = SessionFilter { workspace: Some(query.workspace.clone()), ..SessionFilter::default() };
        Ok(query.find(self.sessions(&here).await?.rows))
    }

    /// The extent of a session's log. The default, for stores that do not note which prefixes a session names, reads it.
    async fn log_extent(
        &self,
        workspace: &WorkspaceKey,
        session: &SessionId,
    ) -> Result<LogExtent, StoreError> {
        let entries = self.entries(workspace, session, 0, u32::MAX).await?;
        Ok(LogExtent {
            first: entries.first().map_or(0, |row| row.sequence),
            last: entries.last().map_or(0, |row| row.sequence),
            bytes: entries.iter().map(|row| row.body.len() as u64).sum(),
            prefixes: 0,
        })
    }

    /// The changes of a workspace outside of session logs with a number greater than `after`, in order, at most
    /// `limit`.
    async fn changes(
        &self,
        workspace: &WorkspaceKey,
        after: u64,
        limit: u32,
    ) -> Result<Vec<ResourceChangeRow>, StoreError>;

    /// The records of a workspace's deleted sessions, latest first, at most `limit`.
    async fn deletions(&self, workspace: &WorkspaceKey, limit: u32) -> Result<Vec<DeletionRow>, StoreError>;

    /// What people noted about the inbox items of a workspace: snoozes by session, item and person, assignments by
    /// session and item. The default, for stores that keep none, returns nothing.
    async fn inbox_triage(&self, _workspace: &WorkspaceKey) -> Result<TriageRows, StoreError> {
        Ok(TriageRows::default())
    }

    /// What waits for a person in the sessions of a workspace, by session and item; `None` if the store does not know it
    /// of all of them. The default, for stores that keep no such rows, is `None`.
    async fn inbox_rows(&self, _workspace: &WorkspaceKey) -> Result<Option<Vec<InboxRow>>, StoreError> {
        Ok(None)
    }

    /// The latest version of the instructions of each of these scopes, in their order, including versions that clear
    /// them; `None` for a scope that never had instructions.
    async fn instructions(
        &self,
        workspace: &WorkspaceKey,
        scopes: &[InstructionScope],
    ) -> Result<Vec<InstructionVersion>, StoreError>;

    /// The stored versions of the instructions of a scope that are older than `before` (`None`: all of them), latest
    /// first, at most `limit`.
    async fn versions_of_instructions(
        &self,
        workspace: &WorkspaceKey,
        scope: &InstructionScope,
        before: Option<u64>,
        limit: u32,
    ) -> Result<Vec<InstructionVersion>, StoreError>;

    /// The bytes stored under a hash that an entry of this session refers to; `None` if this workspace has no such
    /// session. Equal bytes are stored once for all workspaces, so a hash alone grants no access.
    async fn blob(
        &self,
        workspace: &WorkspaceKey,
        session: &SessionId,
        digest: &Digest,
    ) -> Result<Option<Vec<u8>>, StoreError>;
}
