//! The rows of the memory store, and the effect of a commit on them, with each check of the contract.

use std::collections::{BTreeMap, BTreeSet};

use entracte_application::instructions::InstructionScope;
use entracte_application::ports::{
    CallRow, CommitError, DeletionRow, LogRow, MemoryAutomationTable, MemoryCostTable, MemoryFileTable,
    MemoryInstructionTable, MemoryMailTable, MemoryReceiptTable, MemoryResourceTable, MemoryRetentionTable,
    MemoryTaskTable, MemoryTriageTable, MemoryWorkerTable, ResourceChangeRow, ResourceFilter, ResourceRow,
    SessionRow, StoreError, WorkspaceCommit, WorkspaceRow, expect_sequence,
};
use entracte_domain::id::{Digest, SessionId, WorkspaceKey};

/// All committed rows.
#[derive(Clone, Debug, Default)]
pub(super) struct MemoryStoreTables {
    pub(super) workspaces: BTreeMap<WorkspaceKey, WorkspaceRow>,
    /// In creation order.
    pub(super) sessions: Vec<SessionRow>,
    pub(super) log: Vec<(WorkspaceKey, LogRow)>,
    pub(super) calls: Vec<(WorkspaceKey, CallRow)>,
    pub(super) resources: BTreeMap<WorkspaceKey, MemoryResourceTable>,
    pub(super) blobs: BTreeMap<Digest, Vec<u8>>,
    pub(super) mail: MemoryMailTable,
    pub(super) automations: MemoryAutomationTable,
    /// In the order of writing.
    pub(super) deletions: Vec<(WorkspaceKey, DeletionRow)>,
    /// In the order of their numbers.
    pub(super) changes: Vec<(WorkspaceKey, ResourceChangeRow)>,
    pub(super) instructions: MemoryInstructionTable,
    pub(super) receipts: MemoryReceiptTable,
    pub(super) tasks: MemoryTaskTable,
    pub(super) costs: MemoryCostTable,
    pub(super) retention: MemoryRetentionTable,
    pub(super) triage: MemoryTriageTable,
    pub(super) files: MemoryFileTable,
    pub(super) workers: MemoryWorkerTable,
}

impl MemoryStoreTables {
    /// Applies a commit; after an error the rows are unusable.
    pub(super) fn apply(&mut self, commit: WorkspaceCommit) -> Result<(), CommitError> {
        let key = commit.workspace.key.clone();
        commit.check(self.workspaces.get(&key))?;
        self.costs.apply(&commit);
        self.retention.apply(&commit);
        let sessions = self.sessions.iter().chain(commit.sessions.iter().map(|(row, _)| row));
        let here: BTreeSet<&SessionId> =
            sessions.filter(|row| row.workspace == key).map(|row| &row.id).collect();
        self.triage.apply(&commit, |id| here.contains(id))?;
        self.files.apply(&commit);
        self.workspaces.insert(key.clone(), commit.workspace);
        for (row, expected) in commit.sessions {
            self.put_session(row, expected)?;
        }
        for row in commit.log {
            self.append(&key, row)?;
        }
        for row in commit.calls {
            self.put_call(&key, row)?;
        }
        for change in commit.resources {
            change.apply(self.resources.entry(key.clone()).or_default())?;
        }
        for blob in commit.blobs {
            self.blobs.entry(blob.digest).or_insert(blob.bytes);
        }
        let retention = commit.retention;
        for (_, row) in self.log.iter_mut().filter(|(of, _)| *of == key) {
            retention.rewrite(row);
        }
        self.log.retain(|(of, row)| *of != key || retention.keeps_entry(row));
        self.calls.retain(|(of, row)| *of != key || retention.keeps_call(row));
        for (session, expected) in commit.deleted {
            self.delete(&key, &session, expected)?;
            self.tasks.delete_session_tasks(&key, &session);
            self.instructions.delete_scope(&key, InstructionScope::Session(session));
        }
        for (row, keep) in commit.deletions {
            let is_by_policy = row.is_by_policy();
            self.deletions.push((key.clone(), row));
            let is_alike =
                |of: &WorkspaceKey, row: &DeletionRow| *of == key && row.is_by_policy() == is_by_policy;
            let here = self.deletions.iter().filter(|(of, row)| is_alike(of, row)).count();
            let mut beyond = if keep == 0 { 0 } else { here.saturating_sub(keep as usize) };
            self.deletions.retain(|(of, row)| {
                let goes = is_alike(of, row) && beyond > 0;
                beyond -= usize::from(goes);
                !goes
            });
        }
        for (row, keep) in commit.changes {
            self.keep_change(&key, row, keep as usize);
        }
        for (id, _) in &commit.deleted_automations {
            self.instructions.delete_scope(&key, InstructionScope::Automation(id.clone()));
        }
        for (row, keep) in commit.instructions {
            self.instructions.append_version(&key, row, keep)?;
        }
        commit.tasks.into_iter().try_for_each(|row| self.tasks.upsert_task(row))?;
        commit.arrivals.into_iter().try_for_each(|row| self.tasks.record_arrival(row))?;
        let (automations, decided) = (commit.automations, commit.occurrences);
        self.automations.apply(&key, automations, decided, commit.deleted_automations)?;
        for (row, before) in commit.receipts {
            self.receipts.insert_receipt(&key, row, before)?;
        }
        for (id, answer) in commit.answers {
            self.mail.record_answer(&key, id, answer)?;
        }
        Ok(())
    }

    /// The latest of the removed changes stays as the mark that earlier ones existed.
    fn keep_change(&mut self, key: &WorkspaceKey, row: ResourceChangeRow, keep: usize) {
        self.changes.push((key.clone(), row));
        let here = self.changes.iter().filter(|(of, _)| of == key).map(|(_, row)| row.seq);
        let here: Vec<u64> = here.collect();
        let old = here.len().saturating_sub(keep);
        if keep == 0 || old == 0 {
            return;
        }
        let last = here[old - 1];
        self.changes.retain(|(of, row)| of != key || row.seq >= last);
        let mark = self.changes.iter_mut().find(|(of, row)| of == key && row.seq == last);
        mark.into_iter().for_each(|(_, row)| *row = ResourceChangeRow::pruned_marker(last));
    }

    fn put_session(&mut self, row: SessionRow, expected: Option<u64>) -> Result<(), CommitError> {
        let place = self.sessions.iter().position(|old| old.id == row.id);
        // A session of another workspace conflicts with a new row, but cannot be updated.
        let is_seen = |old: &&SessionRow| expected.is_none() || old.workspace == row.workspace;
        expect_sequence(&row.id, expected, place.map(|place| &self.sessions[place]).filter(is_seen))?;
        match place {
            Some(place) => self.sessions[place] = row,
            None => self.sessions.push(row),
        }
        Ok(())
    }

    fn delete(&mut self, key: &WorkspaceKey, id: &SessionId, expected: u64) -> Result<(), CommitError> {
        let row = self.sessions.iter().find(|row| row.id == *id && row.workspace == *key);
        expect_sequence(id, Some(expected), row)?;
        self.sessions.retain(|row| row.id != *id);
        self.log.retain(|(_, row)| row.session != *id);
        self.calls.retain(|(_, row)| row.session != *id);
        Ok(())
    }

    fn append(&mut self, key: &WorkspaceKey, row: LogRow) -> Result<(), CommitError> {
        self.known(key, &row.session)?;
        row.expect_new(self.log.iter().map(|(_, old)| old))?;
        self.log.push((key.clone(), row));
        Ok(())
    }

    fn put_call(&mut self, key: &WorkspaceKey, row: CallRow) -> Result<(), CommitError> {
        self.known(key, &row.session)?;
        match self.calls.iter_mut().find(|(_, old)| old.log_position() == row.log_position()) {
            Some((_, old)) => {
                row.expect_same(Some(old))?;
                *old = row;
                Ok(())
            }
            None => {
                self.calls.push((key.clone(), row));
                Ok(())
            }
        }
    }

    fn known(&self, key: &WorkspaceKey, session: &SessionId) -> Result<(), CommitError> {
        match self.session(key, session) {
            Some(_) => Ok(()),
            None => Err(refused(format!("no session {session}"))),
        }
    }

    /// A session of a workspace.
    pub(super) fn session(&self, key: &WorkspaceKey, id: &SessionId) -> Option<&SessionRow> {
        self.sessions.iter().find(|row| row.id == *id && row.workspace == *key)
    }

    /// The rows that the filter selects.
    pub(super) fn picked(&self, key: &WorkspaceKey, filter: &ResourceFilter) -> Vec<ResourceRow> {
        filter.select_matching(self.resources.get(key).into_iter().flat_map(BTreeMap::values))
    }
}

fn refused(text: String) -> CommitError {
    CommitError::Store(StoreError::Inconsistent(text))
}
