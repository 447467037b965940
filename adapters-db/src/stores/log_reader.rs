//! [`LogReader`] on a database.

use async_trait::async_trait;
use entracte_application::instructions::{InstructionScope, InstructionVersion};
use entracte_application::ports::{
    CallRow, CostFilter, CostPage, DeletionRow, InboxRow, LatestEndedQuery, LogExtent, LogReader, LogRow,
    ResourceChangeRow, RestingSessionFilter, SessionFilter, SessionListRow, SessionPage, SessionPageFilter,
    SessionRow, SessionRows, SessionStatistics, StoreError, TriageRows,
};
use entracte_domain::id::{CallId, Digest, SessionId, WorkspaceKey};
use entracte_domain::time::Timestamp;

use crate::connection::DbConnection;
use crate::database::Database;
use crate::db_error::DbError;
use crate::dialect;
use crate::queries::{
    blobs, calls, census, changes, cost_sums, costs, deletions, inbox_items, instructions, log, retention,
    session_pages, sessions, triage, workspaces,
};

/// Maximum number of ids that a prefix search returns.
const PREFIX_MATCHES: i64 = 10;

/// Reader of committed log entries, sessions and calls.
pub(crate) struct DbLogReader(pub(crate) Database);

impl DbLogReader {
    /// Runs a query and decodes the bodies of its rows.
    async fn read_with_decoded_bodies<R: Send + 'static>(
        &self,
        question: impl FnOnce(&mut DbConnection) -> Result<Vec<R>, DbError> + Send + 'static,
        body: fn(&mut R) -> &mut Vec<u8>,
    ) -> Result<Vec<R>, StoreError> {
        let hashes = self.0.hashes().clone();
        let read = move |conn: &mut DbConnection| {
            let mut rows = question(conn)?;
            hashes.decode_bodies(conn, rows.iter_mut().map(body))?;
            Ok(rows)
        };
        self.0.read(read).await
    }

    /// Reads entries with decoded bodies.
    async fn read_entries(
        &self,
        question: impl FnOnce(&mut DbConnection) -> Result<Vec<LogRow>, DbError> + Send + 'static,
    ) -> Result<Vec<LogRow>, StoreError> {
        self.read_with_decoded_bodies(question, |row| &mut row.body).await
    }

    /// Reads calls with decoded bodies.
    async fn read_calls(
        &self,
        question: impl FnOnce(&mut DbConnection) -> Result<Vec<CallRow>, DbError> + Send + 'static,
    ) -> Result<Vec<CallRow>, StoreError> {
        self.read_with_decoded_bodies(question, |row| &mut row.body).await
    }
}

#[async_trait]
impl LogReader for DbLogReader {
    async fn entries(
        &self,
        workspace: &WorkspaceKey,
        session: &SessionId,
        after: u64,
        limit: u32,
    ) -> Result<Vec<LogRow>, StoreError> {
        let (workspace, session) = (workspace.clone(), session.clone());
        self.read_entries(move |conn| log::entries(conn, &workspace, &session, after, limit)).await
    }

    async fn entries_since(
        &self,
        workspace: &WorkspaceKey,
        session: &SessionId,
        sequence: u64,
        limit: u32,
    ) -> Result<Vec<LogRow>, StoreError> {
        let (workspace, session) = (workspace.clone(), session.clone());
        self.read_entries(move |conn| log::since(conn, &workspace, &session, sequence, limit)).await
    }

    async fn entries_of_all(
        &self,
        workspace: &WorkspaceKey,
        after: u64,
        limit: u32,
    ) -> Result<Vec<LogRow>, StoreError> {
        let workspace = workspace.clone();
        self.read_entries(move |conn| log::list_all_sessions(conn, &workspace, after, limit)).await
    }

    async fn entry(&self, workspace: &WorkspaceKey, seq: u64) -> Result<Option<LogRow>, StoreError> {
        let workspace = workspace.clone();
        let found =
            self.read_entries(move |conn| Ok(log::entry(conn, &workspace, seq)?.into_iter().collect()));
        Ok(found.await?.pop())
    }

    async fn entry_by_client_key(
        &self,
        workspace: &WorkspaceKey,
        session: &SessionId,
        client_key: &str,
    ) -> Result<Option<LogRow>, StoreError> {
        let (workspace, session) = (workspace.clone(), session.clone());
        let client_key = client_key.to_owned();
        let found = self.read_entries(move |conn| {
            Ok(log::by_client_key(conn, &workspace, &session, &client_key)?.into_iter().collect())
        });
        Ok(found.await?.pop())
    }

    async fn calls(&self, workspace: &WorkspaceKey, session: &SessionId) -> Result<Vec<CallRow>, StoreError> {
        let (workspace, session) = (workspace.clone(), session.clone());
        self.read_calls(move |conn| calls::list_for_session(conn, &workspace, &session)).await
    }

    async fn call(&self, workspace: &WorkspaceKey, id: &CallId) -> Result<Option<CallRow>, StoreError> {
        let (workspace, id) = (workspace.clone(), id.clone());
        let found =
            self.read_calls(move |conn| Ok(calls::find(conn, &workspace, &id)?.into_iter().collect()));
        Ok(found.await?.pop())
    }

    async fn calls_with_command_id(
        &self,
        workspace: &WorkspaceKey,
        session: &SessionId,
        command_id: &Digest,
        exchange: u64,
    ) -> Result<Vec<CallRow>, StoreError> {
        let (workspace, session) = (workspace.clone(), session.clone());
        let command_id = command_id.clone();
        self.read_calls(move |conn| calls::identical_calls(conn, &workspace, &session, &command_id, exchange))
            .await
    }

    async fn sessions(&self, filter: &SessionFilter) -> Result<SessionRows, StoreError> {
        let filter = filter.clone();
        self.0.read(move |conn| dialect::in_snapshot(conn, |conn| sessions::list(conn, &filter))).await
    }

    async fn session_list(&self, filter: &SessionFilter) -> Result<Vec<SessionListRow>, StoreError> {
        let filter = filter.clone();
        self.0.read(move |conn| dialect::in_snapshot(conn, |conn| sessions::lines(conn, &filter))).await
    }

    async fn session_page(&self, filter: &SessionPageFilter) -> Result<SessionPage, StoreError> {
        let filter = filter.clone();
        self.0.read(move |conn| dialect::in_snapshot(conn, |conn| session_pages::page(conn, &filter))).await
    }

    async fn sessions_by_prefix(
        &self,
        workspace: &WorkspaceKey,
        prefix: &str,
    ) -> Result<Vec<SessionId>, StoreError> {
        let (workspace, prefix) = (workspace.clone(), prefix.to_owned());
        self.0.read(move |conn| sessions::by_prefix(conn, &workspace, &prefix, PREFIX_MATCHES)).await
    }

    async fn calls_with_unknown_outcome(&self, workspace: &WorkspaceKey) -> Result<Vec<CallRow>, StoreError> {
        let workspace = workspace.clone();
        self.read_calls(move |conn| calls::unsettled(conn, &workspace)).await
    }

    async fn session_statistics(&self, of: &SessionFilter) -> Result<SessionStatistics, StoreError> {
        let workspace = of.workspace.clone();
        let count = move |conn: &mut _| census::load_census(conn, workspace.as_ref());
        self.0.read(move |conn| dialect::in_snapshot(conn, count)).await
    }

    async fn cost_sums(&self, filter: &CostFilter) -> Result<CostPage, StoreError> {
        let filter = filter.clone();
        let read = move |conn: &mut DbConnection| {
            let Some(workspace_id) = workspaces::number(conn, &filter.workspace)? else {
                return Ok(CostPage::default());
            };
            let session_id = match &filter.session {
                Some(session) => match sessions::number(conn, &filter.workspace, session)? {
                    Some(session_id) => Some(session_id),
                    None => return Ok(CostPage::default()),
                },
                None => None,
            };
            cost_sums::sums(conn, cost_sums::CostRowsOf { workspace_id, session_id }, &filter)
        };
        self.0.read(move |conn| dialect::in_snapshot(conn, read)).await
    }

    async fn uncounted_sessions(&self, workspace: &WorkspaceKey) -> Result<u64, StoreError> {
        let workspace = workspace.clone();
        let count = move |conn: &mut DbConnection| match workspaces::number(conn, &workspace)? {
            Some(workspace_id) => Ok(costs::uncounted(conn, workspace_id)?.unsigned_abs()),
            None => Ok(0),
        };
        self.0.read(count).await
    }

    async fn resting_sessions(&self, filter: &RestingSessionFilter) -> Result<Vec<SessionRow>, StoreError> {
        let filter = filter.clone();
        self.0.read(move |conn| retention::resting(conn, &filter)).await
    }

    async fn latest_ended(&self, query: &LatestEndedQuery) -> Result<Option<Timestamp>, StoreError> {
        let query = query.clone();
        self.0
            .read(move |conn| dialect::in_snapshot(conn, |conn| retention::latest_ended(conn, &query)))
            .await
    }

    async fn log_extent(
        &self,
        workspace: &WorkspaceKey,
        session: &SessionId,
    ) -> Result<LogExtent, StoreError> {
        let (workspace, session) = (workspace.clone(), session.clone());
        self.0.read(move |conn| log::extent(conn, &workspace, &session)).await
    }

    async fn changes(
        &self,
        workspace: &WorkspaceKey,
        after: u64,
        limit: u32,
    ) -> Result<Vec<ResourceChangeRow>, StoreError> {
        let workspace = workspace.clone();
        self.0.read(move |conn| changes::after(conn, &workspace, after, limit)).await
    }

    async fn deletions(&self, workspace: &WorkspaceKey, limit: u32) -> Result<Vec<DeletionRow>, StoreError> {
        let workspace = workspace.clone();
        self.0.read(move |conn| deletions::latest(conn, &workspace, limit)).await
    }

    async fn inbox_rows(&self, workspace: &WorkspaceKey) -> Result<Option<Vec<InboxRow>>, StoreError> {
        let workspace = workspace.clone();
        self.0.read(move |conn| dialect::in_snapshot(conn, |conn| inbox_items::rows(conn, &workspace))).await
    }

    async fn inbox_triage(&self, workspace: &WorkspaceKey) -> Result<TriageRows, StoreError> {
        let workspace = workspace.clone();
        self.0.read(move |conn| dialect::in_snapshot(conn, |conn| triage::rows(conn, &workspace))).await
    }

    async fn instructions(
        &self,
        workspace: &WorkspaceKey,
        scopes: &[InstructionScope],
    ) -> Result<Vec<InstructionVersion>, StoreError> {
        let (workspace, scopes) = (workspace.clone(), scopes.to_vec());
        self.0.read(move |conn| instructions::latest(conn, &workspace, &scopes)).await
    }

    async fn versions_of_instructions(
        &self,
        workspace: &WorkspaceKey,
        scope: &InstructionScope,
        before: Option<u64>,
        limit: u32,
    ) -> Result<Vec<InstructionVersion>, StoreError> {
        let (workspace, scope) = (workspace.clone(), scope.clone());
        self.0.read(move |conn| instructions::versions(conn, &workspace, &scope, before, limit)).await
    }

    async fn blob(
        &self,
        workspace: &WorkspaceKey,
        session: &SessionId,
        digest: &Digest,
    ) -> Result<Option<Vec<u8>>, StoreError> {
        let (workspace, session, digest) = (workspace.clone(), session.clone(), digest.clone());
        self.0.read(move |conn| blobs::find(conn, &workspace, &session, &digest)).await
    }
}
