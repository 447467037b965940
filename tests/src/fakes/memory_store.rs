//! All store ports in memory, behind one mutex: the store of tests that are not about the database, and the
//! plainest reading of the ports' contracts. It passes the same suites as the databases.
//!
//! A commit works on a copy of everything and puts it in place when nothing refused, so all or nothing needs no
//! further thought. Not for long lives: nothing is ever forgotten but mail.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use entracte_application::ports::{
    CallRow, Commit, CommitError, LogReader, LogRow, MailId, MailRow, Mailbox, Resource, ResourceChange,
    ResourceFilter, ResourceReader, SessionFilter, SessionRow, Store, StoreError, WorkspaceRow,
};
use entracte_domain::id::{CallId, Digest, SessionId, WorkspaceKey};
use entracte_domain::time::Timestamp;

/// Every store port in memory.
#[derive(Debug, Default)]
pub struct MemoryStore {
    rows: Mutex<Rows>,
}

#[derive(Clone, Debug, Default)]
struct Rows {
    workspaces: BTreeMap<WorkspaceKey, WorkspaceRow>,
    /// In the order they were made.
    sessions: Vec<SessionRow>,
    log: Vec<(WorkspaceKey, LogRow)>,
    calls: Vec<(WorkspaceKey, CallRow)>,
    resources: Vec<(WorkspaceKey, Resource)>,
    blobs: BTreeMap<Digest, Vec<u8>>,
    mail: BTreeMap<MailId, (MailRow, Option<Vec<u8>>)>,
    last_mail: i64,
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

impl Rows {
    fn apply(&mut self, commit: Commit) -> Result<(), CommitError> {
        check_numbers(&commit)?;
        let key = commit.workspace.key.clone();
        let found = self.workspaces.get(&key).map(|row| row.seq);
        compare("workspace", key.as_str(), commit.expected_seq, found)?;
        self.workspaces.insert(key.clone(), commit.workspace);
        for (row, expected) in commit.sessions {
            self.put_session(&key, row, expected)?;
        }
        for row in commit.log {
            self.append(&key, row)?;
        }
        for row in commit.calls {
            self.put_call(&key, row)?;
        }
        for change in commit.resources {
            self.change(&key, change)?;
        }
        for blob in commit.blobs {
            self.blobs.entry(blob.digest).or_insert(blob.bytes);
        }
        for (id, answer) in commit.answers {
            self.set_answer(id, answer);
        }
        Ok(())
    }

    fn put_session(
        &mut self,
        key: &WorkspaceKey,
        row: SessionRow,
        expected: Option<u64>,
    ) -> Result<(), CommitError> {
        if row.workspace != *key {
            return Err(refused(format!("session {} of {} in a commit of {key}", row.id, row.workspace)));
        }
        let place = self.sessions.iter().position(|old| old.id == row.id);
        let found = place.map(|place| self.sessions[place].sequence);
        compare("session", row.id.as_str(), expected, found)?;
        match place {
            Some(place) => self.sessions[place] = row,
            None => self.sessions.push(row),
        }
        Ok(())
    }

    fn append(&mut self, key: &WorkspaceKey, row: LogRow) -> Result<(), CommitError> {
        self.known(&row.session)?;
        let same = |old: &LogRow| {
            old.session == row.session
                && (old.sequence == row.sequence
                    || (old.client_key.is_some() && old.client_key == row.client_key))
        };
        if self.log.iter().any(|(_, old)| same(old)) {
            let (session, sequence) = (&row.session, row.sequence);
            return Err(conflict(format!("log entry {} of session {session} (input {sequence})", row.seq)));
        }
        self.log.push((key.clone(), row));
        Ok(())
    }

    fn put_call(&mut self, key: &WorkspaceKey, row: CallRow) -> Result<(), CommitError> {
        self.known(&row.session)?;
        let place = |call: &CallRow| (call.session.clone(), call.sequence, call.ordinal);
        match self.calls.iter_mut().find(|(_, old)| place(old) == place(&row)) {
            Some((_, old)) if old.id != row.id => {
                Err(refused(format!("call {} would take the place of another call", row.id)))
            }
            Some((_, old)) => {
                *old = row;
                Ok(())
            }
            None => {
                self.calls.push((key.clone(), row));
                Ok(())
            }
        }
    }

    fn known(&self, session: &SessionId) -> Result<(), CommitError> {
        match self.sessions.iter().any(|row| row.id == *session) {
            true => Ok(()),
            false => Err(refused(format!("no session {session}"))),
        }
    }

    fn change(&mut self, key: &WorkspaceKey, change: ResourceChange) -> Result<(), CommitError> {
        match change {
            ResourceChange::Create(row) => {
                if self.resource(key, &row.kind, &row.id).is_some() {
                    return Err(conflict(format!("{} {} (is there already)", row.kind, row.id)));
                }
                self.expect_parent(key, &row)?;
                self.resources.push((key.clone(), row));
            }
            ResourceChange::Update { row, expected } => {
                self.expect_parent(key, &row)?;
                let place = self.expect_version(key, &row.kind, &row.id, expected)?;
                self.resources[place].1 = row;
            }
            ResourceChange::Delete { kind, id, expected } => {
                let place = self.expect_version(key, &kind, &id, expected)?;
                self.resources.remove(place);
                self.delete_children(key, &kind, &id);
            }
        }
        Ok(())
    }

    fn delete_children(&mut self, key: &WorkspaceKey, kind: &str, id: &str) {
        let lives_here = |(workspace, row): &(WorkspaceKey, Resource)| {
            workspace == key && row.parent_kind.as_deref() == Some(kind) && row.parent.as_deref() == Some(id)
        };
        while let Some(place) = self.resources.iter().position(lives_here) {
            let (_, child) = self.resources.remove(place);
            self.delete_children(key, &child.kind, &child.id);
        }
    }

    fn expect_parent(&self, key: &WorkspaceKey, row: &Resource) -> Result<(), CommitError> {
        match (&row.parent_kind, &row.parent) {
            (None, None) => Ok(()),
            (Some(kind), Some(id)) if self.resource(key, kind, id).is_some() => Ok(()),
            (Some(kind), Some(id)) => Err(conflict(format!("{kind} {id} (is gone)"))),
            _ => Err(refused(format!("{} {}: half a parent", row.kind, row.id))),
        }
    }

    fn expect_version(
        &self,
        key: &WorkspaceKey,
        kind: &str,
        id: &str,
        expected: u64,
    ) -> Result<usize, CommitError> {
        let place = self.place(key, kind, id);
        compare(kind, id, Some(expected), place.map(|place| self.resources[place].1.version))?;
        place.ok_or_else(|| conflict(format!("{kind} {id}")))
    }

    fn resource(&self, key: &WorkspaceKey, kind: &str, id: &str) -> Option<&Resource> {
        self.place(key, kind, id).map(|place| &self.resources[place].1)
    }

    fn place(&self, key: &WorkspaceKey, kind: &str, id: &str) -> Option<usize> {
        self.resources.iter().position(|(owner, row)| owner == key && row.kind == kind && row.id == id)
    }

    fn set_answer(&mut self, id: MailId, answer: Vec<u8>) {
        if let Some((_, slot @ None)) = self.mail.get_mut(&id) {
            *slot = Some(answer);
        }
    }

    fn filtered(&self, key: &WorkspaceKey, filter: &ResourceFilter) -> Vec<Resource> {
        let passes = |row: &Resource| {
            row.kind == filter.kind
                && filter.parent.as_ref().is_none_or(|parent| row.parent.as_ref() == Some(parent))
                && filter.from.is_none_or(|from| row.at.is_some_and(|at| at >= from))
                && filter.until.is_none_or(|until| row.at.is_some_and(|at| at < until))
        };
        let mut found: Vec<Resource> = self
            .resources
            .iter()
            .filter(|(owner, row)| owner == key && passes(row))
            .map(|(_, row)| row.clone())
            .collect();
        found.sort_by_key(|row| (row.at, row.name.clone(), row.id.clone()));
        found
    }
}

fn check_numbers(commit: &Commit) -> Result<(), CommitError> {
    let mut seq = commit.expected_seq.unwrap_or(0);
    for row in &commit.log {
        seq += 1;
        if row.seq != seq {
            return Err(refused(format!("log entry {} where {seq} is due", row.seq)));
        }
    }
    match commit.workspace.seq == seq {
        true => Ok(()),
        false => Err(refused(format!("seq {} where the log ends at {seq}", commit.workspace.seq))),
    }
}

fn compare(what: &str, key: &str, expected: Option<u64>, found: Option<u64>) -> Result<(), CommitError> {
    let word = |number: Option<u64>| number.map_or_else(|| "none".to_owned(), |number| number.to_string());
    match expected == found {
        true => Ok(()),
        false => Err(conflict(format!("{what} {key} (expected {}, found {})", word(expected), word(found)))),
    }
}

fn conflict(text: String) -> CommitError {
    CommitError::Conflict(text)
}

fn refused(text: String) -> CommitError {
    CommitError::Store(StoreError::Inconsistent(text))
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
        rows.mail.retain(|id, (row, answer)| {
            let old = answer.is_some() && row.posted_at < before;
            !old && Some(*id) != taken_back
        });
        Ok(())
    }
}
