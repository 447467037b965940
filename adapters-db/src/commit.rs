//! An application commit as a write job: the order of its statements, and the checks that the tables cannot express. It
//! needs only a few statements, and no loop over existing rows.

use std::collections::HashMap;

use entracte_application::failpoints::FailpointOperation;
use entracte_application::instructions::InstructionScope;
use entracte_application::ports::{CallRow, MailId, RetentionRows, TriageChange, WorkspaceCommit};
use entracte_domain::id::{SessionId, WorkspaceKey};

use crate::connection::DbConnection;
use crate::db_error::DbError;
use crate::hash_dictionary;
use crate::queries::session_rows::SessionRowKey;
use crate::queries::sessions::DeletedSessionCosts;
use crate::queries::{
    self, automations, blobs, calls, changes, costs, deletions, files, inbox_items, instructions, log, mail,
    outbox, prefix_uses, receipts, resources, retention, sessions, tasks, triage, workspaces,
};
use crate::writer::WriteJob;

impl WriteJob for WorkspaceCommit {
    type Answer = ();

    const OPERATION: FailpointOperation = FailpointOperation::Commit;

    fn run(&self, conn: &mut DbConnection) -> Result<(), DbError> {
        log::check_numbers(self)?;
        let workspace_id = write_workspace(conn, self)?;
        let mut known = write_sessions(conn, self, workspace_id)?;
        hash_dictionary::of(self).iter().try_for_each(|hash| queries::hashes::insert_hash(conn, hash))?;
        for row in &self.log {
            let session_id = session_number(conn, workspace_id, &mut known, &row.session)?;
            log::append(conn, SessionRowKey { workspace_id, session_id }, row)?;
        }
        for row in &self.calls {
            let session_id = session_number(conn, workspace_id, &mut known, &row.session)?;
            let session = SessionRowKey { workspace_id, session_id };
            calls::put(conn, session, row, is_requested_in_commit(self, row))?;
        }
        for row in &self.costs {
            let session_id = session_number(conn, workspace_id, &mut known, &row.session)?;
            costs::put(conn, SessionRowKey { workspace_id, session_id }, row)?;
        }
        for (session, number) in &self.withdrawn_costs {
            let session_id = session_number(conn, workspace_id, &mut known, session)?;
            costs::delete(conn, SessionRowKey { workspace_id, session_id }, *number)?;
        }
        self.resources.iter().try_for_each(|change| resources::apply(conn, workspace_id, change))?;
        self.blobs.iter().try_for_each(|blob| blobs::insert_blob(conn, blob))?;
        for (session, prefix) in &self.prefixes {
            let session_id = session_number(conn, workspace_id, &mut known, session)?;
            prefix_uses::note_use(conn, session_id, prefix)?;
        }
        for row in &self.files {
            let session_id = session_number(conn, workspace_id, &mut known, &row.session)?;
            files::note_use(conn, &self.workspace.key, session_id, row)?;
        }
        write_retention(conn, self, workspace_id, &mut known)?;
        write_triage(conn, self, workspace_id, &mut known)?;
        for (session, expected) in &self.deleted {
            let attempts = match self.retention.kept_costs.contains(session) {
                true => DeletedSessionCosts::Detached,
                false => DeletedSessionCosts::Deleted,
            };
            sessions::delete(conn, workspace_id, session, *expected, attempts)?;
            instructions::delete_for_scope(conn, workspace_id, &InstructionScope::Session(session.clone()))?;
            tasks::delete_for_session(conn, workspace_id, session)?;
        }
        for (row, keep) in &self.deletions {
            deletions::insert_deletion(conn, workspace_id, row, *keep)?;
        }
        self.changes
            .iter()
            .try_for_each(|(row, keep)| changes::insert_change(conn, workspace_id, row, *keep))?;
        for (row, expected) in &self.automations {
            match expected {
                None => automations::insert(conn, workspace_id, row)?,
                Some(expected) => automations::update(conn, workspace_id, row, *expected)?,
            }
        }
        self.occurrences.iter().try_for_each(|row| automations::decide(conn, workspace_id, row))?;
        for (id, expected) in &self.deleted_automations {
            automations::delete(conn, workspace_id, id, *expected)?;
            instructions::delete_for_scope(conn, workspace_id, &InstructionScope::Automation(id.clone()))?;
        }
        for (row, keep) in &self.instructions {
            instructions::insert_version(conn, workspace_id, row, *keep)?;
        }
        write_tasks(conn, self, workspace_id)?;
        let key = &self.workspace.key;
        self.receipts
            .iter()
            .try_for_each(|(row, before)| receipts::insert_receipt(conn, key, row, *before))?;
        self.spent_links.iter().try_for_each(|(hash, at)| outbox::spend(conn, key, hash, *at))?;
        self.answers.iter().try_for_each(|(id, answer)| write_answer(conn, key, *id, answer))
    }

    fn as_application_commit(&self) -> Option<(&WorkspaceCommit, ())> {
        Some((self, ()))
    }

    /// The workspace row shows it, if this commit changes that row. Otherwise the commit is repeated: its expected
    /// versions make that a conflict at worst.
    fn is_committed(&self, conn: &mut DbConnection, (): &()) -> Result<bool, DbError> {
        if self.expected_seq == Some(self.workspace.seq) {
            return Ok(false);
        }
        Ok(workspaces::find(conn, &self.workspace.key)?.as_ref() == Some(&self.workspace))
    }
}

/// Whether the call is requested by an entry of this commit. The entry's sequence is new, so the call is new, too.
fn is_requested_in_commit(commit: &WorkspaceCommit, call: &CallRow) -> bool {
    commit.log.iter().any(|entry| entry.sequence == call.sequence && entry.session == call.session)
}

fn write_workspace(conn: &mut DbConnection, commit: &WorkspaceCommit) -> Result<i64, DbError> {
    match commit.expected_seq {
        None => workspaces::insert(conn, &commit.workspace),
        Some(expected) => workspaces::update(conn, &commit.workspace, expected),
    }
}

/// Writes the session rows with what waits in them, and returns the session numbers, which log and ledger rows need.
fn write_sessions<'a>(
    conn: &mut DbConnection,
    commit: &'a WorkspaceCommit,
    workspace_id: i64,
) -> Result<HashMap<&'a SessionId, i64>, DbError> {
    let mut known = HashMap::with_capacity(commit.sessions.len());
    for (row, expected) in &commit.sessions {
        if row.workspace != commit.workspace.key {
            let (other, key) = (&row.workspace, &commit.workspace.key);
            return Err(DbError::Refused(format!("session {} of {other} in a commit of {key}", row.id)));
        }
        let number = match expected {
            None => sessions::insert(conn, workspace_id, row)?,
            Some(expected) => sessions::update(conn, workspace_id, row, *expected)?,
        };
        // A trigger removes what waits in a session that no longer does.
        if row.waiting {
            let items = commit.inbox.iter().filter(|item| item.session == row.id);
            inbox_items::replace(conn, SessionRowKey { workspace_id, session_id: number }, items)?;
        }
        known.insert(&row.id, number);
    }
    Ok(known)
}

/// Removes what goes by the retention policy, besides deleted sessions.
fn write_retention<'a>(
    conn: &mut DbConnection,
    commit: &'a WorkspaceCommit,
    workspace_id: i64,
    known: &mut HashMap<&'a SessionId, i64>,
) -> Result<(), DbError> {
    let RetentionRows { kept_costs: _, detached_costs, rewritten, trimmed, calls: removed, marks, released } =
        &commit.retention;
    for row in detached_costs {
        let session_id = session_number(conn, workspace_id, known, &row.session)?;
        costs::detach_first(conn, SessionRowKey { workspace_id, session_id }, row.attempts)?;
    }
    for row in rewritten {
        log::rewrite(conn, workspace_id, row)?;
    }
    for row in trimmed {
        let session_id = session_number(conn, workspace_id, known, &row.session)?;
        calls::trim(conn, session_id, row.through)?;
        log::trim(conn, session_id, row.through)?;
    }
    for row in removed {
        let session_id = session_number(conn, workspace_id, known, &row.session)?;
        calls::delete(conn, session_id, row)?;
        inbox_items::delete_of_call(conn, session_id, row)?;
    }
    for row in marks {
        let session_id = session_number(conn, workspace_id, known, &row.session)?;
        retention::put_mark(conn, session_id, row)?;
    }
    for row in released {
        let session_id = session_number(conn, workspace_id, known, &row.session)?;
        files::release(conn, &commit.workspace.key, session_id, &row.digest)?;
    }
    Ok(())
}

/// Writes what people note about inbox items. What is deleted may be of a session that is gone.
fn write_triage<'a>(
    conn: &mut DbConnection,
    commit: &'a WorkspaceCommit,
    workspace_id: i64,
    known: &mut HashMap<&'a SessionId, i64>,
) -> Result<(), DbError> {
    for change in &commit.triage {
        match change {
            TriageChange::Snooze(row) => {
                let session_id = session_number(conn, workspace_id, known, &row.session)?;
                triage::put_snooze(conn, SessionRowKey { workspace_id, session_id }, row)?;
            }
            TriageChange::Assign(row) => {
                let session_id = session_number(conn, workspace_id, known, &row.session)?;
                triage::put_assignment(conn, SessionRowKey { workspace_id, session_id }, row)?;
            }
            TriageChange::Wake { session, item, person } => {
                if let Some(session_id) = sessions::number_in(conn, workspace_id, session)? {
                    triage::delete_snooze(conn, session_id, item, person)?;
                }
            }
            TriageChange::Unassign { session, item } => {
                if let Some(session_id) = sessions::number_in(conn, workspace_id, session)? {
                    triage::delete_assignment(conn, session_id, item)?;
                }
            }
            TriageChange::DeleteEnded(now) => triage::delete_ended(conn, workspace_id, *now)?,
        }
    }
    Ok(())
}

/// Writes tasks, and then their updates.
fn write_tasks(conn: &mut DbConnection, commit: &WorkspaceCommit, workspace_id: i64) -> Result<(), DbError> {
    for row in &commit.tasks {
        if row.workspace != commit.workspace.key {
            let (other, key) = (&row.workspace, &commit.workspace.key);
            return Err(DbError::Refused(format!("task {} of {other} in a commit of {key}", row.id)));
        }
        tasks::upsert_task(conn, workspace_id, row)?;
    }
    commit.arrivals.iter().try_for_each(|row| tasks::insert_arrival(conn, row))
}

/// Answers mail. Mail that was withdrawn meanwhile is a conflict: its poster was told that nothing was done.
fn write_answer(
    conn: &mut DbConnection,
    key: &WorkspaceKey,
    id: MailId,
    answer: &[u8],
) -> Result<(), DbError> {
    match mail::set_answer(conn, key, id, answer)? {
        true => Ok(()),
        false => Err(DbError::Conflict(format!("mail {} (withdrawn or already answered)", id.0))),
    }
}

fn session_number<'a>(
    conn: &mut DbConnection,
    workspace_id: i64,
    known: &mut HashMap<&'a SessionId, i64>,
    id: &'a SessionId,
) -> Result<i64, DbError> {
    if let Some(number) = known.get(id) {
        return Ok(*number);
    }
    let number = sessions::number_in(conn, workspace_id, id)?;
    let number = number.ok_or_else(|| DbError::Refused(format!("no session {id}")))?;
    known.insert(id, number);
    Ok(number)
}
