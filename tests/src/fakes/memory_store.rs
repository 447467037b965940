//! All store ports in memory, behind one mutex: the store of tests that are not about the database, and the
//! plainest reading of the ports' contracts. It passes the same suites as the databases.
//!
//! A commit works on a copy of everything and puts it in place when nothing refused, so all or nothing needs no
//! further thought. Not for long lives: nothing is ever forgotten but mail.

mod rows;

use std::cmp::Reverse;
use std::sync::{Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use entracte_application::ports::{
    CallRow, Commit, CommitError, LogReader, LogRow, MailId, MailRow, Mailbox, Resource, ResourceFilter,
    ResourceReader, SessionFilter, SessionRow, Store, StoreError, WorkspaceRow,
};
use entracte_domain::id::{CallId, Digest, SessionId, WorkspaceKey};
use entracte_domain::time::Timestamp;

use rows::Rows;

/// Every store port in memory.
#[derive(Debug, Default)]
pub struct MemoryStore {
    rows: Mutex<Rows>,
}

impl MemoryStore {
    /// An empty store.
    pub fn new() -> Self {
        Self::default()
    }

    fn rows(&self) -> MutexGuard<'_, Rows> {
        self.rows.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl Store for MemoryStore {
    async fn commit(&self, commit: Commit) -> Result<(), CommitError> {
        let mut rows = self.rows();
        let mut copy = rows.clone();
        copy.apply(commit)?;
        *rows = copy;
        Ok(())
    }

    async fn workspace(&self, key: &WorkspaceKey) -> Result<Option<WorkspaceRow>, StoreError> {
        Ok(self.rows().workspaces.get(key).cloned())
    }

    async fn workspaces(&self) -> Result<Vec<WorkspaceRow>, StoreError> {
        Ok(self.rows().workspaces.values().cloned().collect())
    }

    async fn session(&self, id: &SessionId) -> Result<Option<SessionRow>, StoreError> {
        Ok(self.rows().sessions.iter().find(|row| row.id == *id).cloned())
    }

    async fn placed(&self, workspace: &WorkspaceKey) -> Result<Vec<SessionRow>, StoreError> {
        let rows = self.rows();
        Ok(rows.sessions.iter().filter(|row| row.placed && row.workspace == *workspace).cloned().collect())
    }

    async fn due(&self, now: Timestamp) -> Result<Vec<(WorkspaceKey, SessionId)>, StoreError> {
        let rows = self.rows();
        let due = rows.sessions.iter().filter(|row| row.working || row.wake_at.is_some_and(|at| at <= now));
        Ok(due.map(|row| (row.workspace.clone(), row.id.clone())).collect())
    }

    async fn next_wake(&self, workspace: &WorkspaceKey) -> Result<Option<Timestamp>, StoreError> {
        let rows = self.rows();
        Ok(rows.sessions.iter().filter(|row| row.workspace == *workspace).filter_map(|row| row.wake_at).min())
    }
}

#[async_trait]
impl LogReader for MemoryStore {
    async fn entries(&self, session: &SessionId, after: u64, limit: u32) -> Result<Vec<LogRow>, StoreError> {
        let rows = self.rows();
        let found =
            rows.log.iter().map(|(_, row)| row).filter(|row| row.session == *session && row.seq > after);
        Ok(found.take(limit as usize).cloned().collect())
    }

    async fn entry(&self, workspace: &WorkspaceKey, seq: u64) -> Result<Option<LogRow>, StoreError> {
        let rows = self.rows();
        Ok(rows.log.iter().find(|(key, row)| key == workspace && row.seq == seq).map(|(_, row)| row.clone()))
    }

    async fn entry_by_client_key(
        &self,
        session: &SessionId,
        client_key: &str,
    ) -> Result<Option<LogRow>, StoreError> {
        let rows = self.rows();
        let found = |row: &LogRow| row.session == *session && row.client_key.as_deref() == Some(client_key);
        Ok(rows.log.iter().find(|(_, row)| found(row)).map(|(_, row)| row.clone()))
    }

    async fn calls(&self, session: &SessionId) -> Result<Vec<CallRow>, StoreError> {
        let rows = self.rows();
        let mut found: Vec<CallRow> =
            rows.calls.iter().map(|(_, row)| row).filter(|row| row.session == *session).cloned().collect();
        found.sort_by_key(|row| (row.sequence, row.ordinal));
        Ok(found)
    }

    async fn call(&self, id: &CallId) -> Result<Option<CallRow>, StoreError> {
        Ok(self.rows().calls.iter().find(|(_, row)| row.id == *id).map(|(_, row)| row.clone()))
    }

    async fn twins(
        &self,
        session: &SessionId,
        command_id: &Digest,
        exchange: u64,
    ) -> Result<Vec<CallRow>, StoreError> {
        let mut found = self.calls(session).await?;
        found.retain(|row| row.command_id == *command_id && row.exchange == exchange);
        found.reverse();
        Ok(found)
    }

    async fn sessions(&self, filter: &SessionFilter) -> Result<Vec<SessionRow>, StoreError> {
        let rank = |row: &SessionRow| match (row.waiting, row.standing == "ended") {
            (true, _) => 0,
            (false, false) => 1,
            (false, true) => 2,
        };
        let passes = |row: &&SessionRow| {
            filter.workspace.as_ref().is_none_or(|key| row.workspace == *key)
                && (!filter.waiting || row.waiting)
                && (!filter.open || rank(row) < 2)
        };
        let mut found: Vec<SessionRow> = self.rows().sessions.iter().filter(passes).cloned().collect();
        found.sort_by_key(|row| (rank(row), Reverse(row.last_activity)));
        if filter.limit > 0 {
            found.truncate(filter.limit as usize);
        }
        Ok(found)
    }

    async fn sessions_by_prefix(&self, prefix: &str) -> Result<Vec<SessionId>, StoreError> {
        let rows = self.rows();
        let mut found: Vec<SessionId> = rows
            .sessions
            .iter()
            .filter(|row| row.id.as_str().starts_with(prefix))
            .map(|row| row.id.clone())
            .collect();
        found.sort();
        found.truncate(10);
        Ok(found)
    }

    async fn unsettled(&self, workspace: &WorkspaceKey) -> Result<Vec<CallRow>, StoreError> {
        let rows = self.rows();
        let mut found: Vec<CallRow> = rows
            .calls
            .iter()
            .filter(|(key, row)| key == workspace && row.state == "unknown")
            .map(|(_, row)| row.clone())
            .collect();
        let made = |row: &CallRow| rows.sessions.iter().position(|session| session.id == row.session);
        found.sort_by_key(|row| Reverse((row.requested_at, made(row), row.sequence, row.ordinal)));
        Ok(found)
    }

    async fn blob(&self, digest: &Digest) -> Result<Option<Vec<u8>>, StoreError> {
        Ok(self.rows().blobs.get(digest).cloned())
    }
}

#[async_trait]
impl ResourceReader for MemoryStore {
    async fn resource(
        &self,
        workspace: &WorkspaceKey,
        kind: &str,
        id: &str,
    ) -> Result<Option<Resource>, StoreError> {
        Ok(self.rows().resource(workspace, kind, id).cloned())
    }

    async fn resources(
        &self,
        workspace: &WorkspaceKey,
        filter: &ResourceFilter,
    ) -> Result<Vec<Resource>, StoreError> {
        let found = self.rows().filtered(workspace, filter).into_iter().skip(filter.offset as usize);
        Ok(found.take(filter.limit.map_or(usize::MAX, |limit| limit as usize)).collect())
    }

    async fn count(&self, workspace: &WorkspaceKey, filter: &ResourceFilter) -> Result<u64, StoreError> {
        Ok(self.rows().filtered(workspace, filter).len() as u64)
    }
}

#[async_trait]
impl Mailbox for MemoryStore {
    async fn post(
        &self,
        workspace: &WorkspaceKey,
        body: Vec<u8>,
        now: Timestamp,
    ) -> Result<MailId, StoreError> {
        let mut rows = self.rows();
        rows.last_mail += 1;
        let id = MailId(rows.last_mail);
        let row = MailRow { id, workspace: workspace.clone(), body, posted_at: now };
        rows.mail.insert(id, (row, None));
        Ok(id)
    }

    async fn unanswered(&self) -> Result<Vec<MailRow>, StoreError> {
        let rows = self.rows();
        Ok(rows.mail.values().filter(|(_, answer)| answer.is_none()).map(|(row, _)| row.clone()).collect())
    }

    async fn answer(&self, id: MailId) -> Result<Option<Vec<u8>>, StoreError> {
        Ok(self.rows().mail.get(&id).and_then(|(_, answer)| answer.clone()))
    }

    async fn refuse(&self, id: MailId, answer: Vec<u8>) -> Result<(), StoreError> {
        self.rows().set_answer(id, answer);
        Ok(())
    }

    async fn forget(&self, before: Timestamp, taken_back: Option<MailId>) -> Result<(), StoreError> {
        let mut rows = self.rows();
        rows.mail.retain(|id, (row, answer)| match answer {
            Some(_) => row.posted_at >= before,
            None => Some(*id) != taken_back,
        });
        Ok(())
    }
}
