//! The rows of the store in memory, and what a commit does to them: each check of the contract, in plain words.

use std::collections::BTreeMap;

use entracte_application::ports::{
    CallRow, Commit, CommitError, LogRow, MailId, MailRow, Resource, ResourceChange, ResourceFilter,
    SessionRow, StoreError, WorkspaceRow,
};
use entracte_domain::id::{Digest, SessionId, WorkspaceKey};

/// Everything that was committed.
#[derive(Clone, Debug, Default)]
pub(super) struct Rows {
    pub(super) workspaces: BTreeMap<WorkspaceKey, WorkspaceRow>,
    /// In the order they were made.
    pub(super) sessions: Vec<SessionRow>,
    pub(super) log: Vec<(WorkspaceKey, LogRow)>,
    pub(super) calls: Vec<(WorkspaceKey, CallRow)>,
    pub(super) resources: Vec<(WorkspaceKey, Resource)>,
    pub(super) blobs: BTreeMap<Digest, Vec<u8>>,
    pub(super) mail: BTreeMap<MailId, (MailRow, Option<Vec<u8>>)>,
    pub(super) last_mail: i64,
}

impl Rows {
    /// Makes all the changes of a commit; after a refusal the rows are good for nothing.
    pub(super) fn apply(&mut self, commit: Commit) -> Result<(), CommitError> {
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
        for (session, expected) in commit.deleted {
            self.delete(&key, &session, expected)?;
        }
        for (id, answer) in commit.answers {
            if !self.set_answer(id, answer) {
                return Err(conflict(format!("mail {} (taken back or answered)", id.0)));
            }
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

    fn delete(&mut self, key: &WorkspaceKey, id: &SessionId, expected: u64) -> Result<(), CommitError> {
        let row = self.sessions.iter().find(|row| row.id == *id && row.workspace == *key);
        compare("session", id.as_str(), Some(expected), row.map(|row| row.sequence))?;
        self.sessions.retain(|row| row.id != *id);
        self.log.retain(|(_, row)| row.session != *id);
        self.calls.retain(|(_, row)| row.session != *id);
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

    /// One row of a workspace's own data.
    pub(super) fn resource(&self, key: &WorkspaceKey, kind: &str, id: &str) -> Option<&Resource> {
        self.place(key, kind, id).map(|place| &self.resources[place].1)
    }

    fn place(&self, key: &WorkspaceKey, kind: &str, id: &str) -> Option<usize> {
        self.resources.iter().position(|(owner, row)| owner == key && row.kind == kind && row.id == id)
    }

    /// Answers mail that has no answer; gives whether it was there and had none.
    pub(super) fn set_answer(&mut self, id: MailId, answer: Vec<u8>) -> bool {
        match self.mail.get_mut(&id) {
            Some((_, slot @ None)) => {
                *slot = Some(answer);
                true
            }
            _ => false,
        }
    }

    /// The rows of a list, in its order.
    pub(super) fn filtered(&self, key: &WorkspaceKey, filter: &ResourceFilter) -> Vec<Resource> {
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
