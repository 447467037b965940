//! Groups of typical commits, those of working sessions: they change existing rows, append to the log, and write calls
//! and what waits for a person.
//! Postgres writes such a group in one statement.

use std::collections::HashSet;

use entracte_application::ports::{
    AttemptCostRow, CallRow, InboxRow, LogRow, SessionRow, WorkspaceCommit, WorkspaceRow,
};

use crate::column_numbers::to_column;
use crate::db_error::DbError;
use crate::dialect::{ColumnArray, CommitGroupStatement, HOLD_COLUMNS, USAGE_COLUMNS, UnnestRows};
use crate::hash_dictionary;
use crate::queries::calls::{stored_digest, stored_id};
use crate::queries::costs::{AttemptCostColumns, columns};
use crate::queries::log::{ENTRIES_MAX, check_numbers, fits_columns};
use crate::queries::sessions::state;

/// The rows that a group of commits writes.
#[derive(Debug, Default)]
pub(crate) struct CommitGroupRows<'a> {
    /// Workspace rows, each with its current `seq`.
    pub(crate) workspaces: Vec<(&'a WorkspaceRow, u64)>,
    /// Session rows, each with its current sequence.
    pub(crate) sessions: Vec<(&'a SessionRow, u64)>,
    /// New log entries of these sessions.
    pub(crate) log: Vec<&'a LogRow>,
    /// New or changed calls of these sessions.
    pub(crate) calls: Vec<&'a CallRow>,
    /// New or changed attempts of model calls of these sessions.
    pub(crate) costs: Vec<&'a AttemptCostRow>,
    /// All that waits for a person in those of these sessions that wait.
    pub(crate) inbox: Vec<&'a InboxRow>,
}

impl<'a> CommitGroupRows<'a> {
    /// Collects the rows of all commits; `None` if one of them writes other rows as well, or cannot be written. It is
    /// then written alone, which reports the reason.
    pub(crate) fn from_commits(commits: impl IntoIterator<Item = &'a WorkspaceCommit>) -> Option<Self> {
        let mut all = Self::default();
        let mut keys = HashSet::new();
        for commit in commits {
            // Each statement part sees the rows as they were before the statement, so each workspace may occur once.
            if !keys.insert(&commit.workspace.key) || !all.add_commit(commit) {
                return None;
            }
        }
        Some(all)
    }

    /// Adds a commit; returns whether that was possible.
    fn add_commit(&mut self, commit: &'a WorkspaceCommit) -> bool {
        let WorkspaceCommit {
            workspace,
            expected_seq: Some(expected),
            sessions,
            log,
            calls,
            resources,
            blobs,
            prefixes,
            answers,
            deleted,
            automations,
            occurrences,
            deleted_automations,
            deletions,
            receipts,
            spent_links,
            changes,
            instructions,
            tasks,
            arrivals,
            costs,
            withdrawn_costs,
            retention,
            triage,
            inbox,
            files,
        } = commit
        else {
            return false;
        };
        let is_more = [
            resources.is_empty(),
            blobs.is_empty(),
            prefixes.is_empty(),
            answers.is_empty(),
            deleted.is_empty(),
            automations.is_empty(),
            occurrences.is_empty(),
            deleted_automations.is_empty(),
            deletions.is_empty(),
            receipts.is_empty(),
            spent_links.is_empty(),
            changes.is_empty(),
            instructions.is_empty(),
            tasks.is_empty(),
            arrivals.is_empty(),
            withdrawn_costs.is_empty(),
            retention.is_empty(),
            triage.is_empty(),
            files.is_empty(),
            // Hashes that are not stored yet.
            hash_dictionary::of(commit).is_empty(),
        ]
        .contains(&false);
        if is_more || check_numbers(commit).is_err() {
            return false;
        }
        let mut ids = HashSet::with_capacity(sessions.len());
        let mut waiting = HashSet::new();
        for (row, expected) in sessions {
            let (Some(expected), true) = (expected, row.workspace == workspace.key) else { return false };
            ids.insert(&row.id);
            if row.waiting {
                waiting.insert(&row.id);
            }
            self.sessions.push((row, *expected));
        }
        let are_theirs = ids.len() == sessions.len()
            && log.iter().all(|row| ids.contains(&row.session) && fits_columns(row))
            && calls.iter().all(|row| ids.contains(&row.session))
            && costs.iter().all(|row| ids.contains(&row.session));
        self.workspaces.push((workspace, *expected));
        self.log.extend(log);
        self.calls.extend(calls);
        self.costs.extend(costs);
        self.inbox.extend(inbox.iter().filter(|row| waiting.contains(&row.session)));
        are_theirs
    }
    /// Converts the rows to column arrays.
    ///
    /// # Errors
    /// A number that does not fit its column.
    pub(crate) fn to_statement(&self) -> Result<CommitGroupStatement<'a>, DbError> {
        Ok(CommitGroupStatement {
            workspaces: workspaces(self)?,
            sessions: sessions(self)?,
            log: log(self)?,
            calls: calls(self)?,
            costs: costs(self),
            inbox: inbox(self),
            entries_max: ENTRIES_MAX,
        })
    }
}

/// Maps the rows to a column; `None` if a value cannot be written.
fn map_column<'a, T, V>(
    rows: &[T],
    value: impl Fn(&T) -> Result<V, DbError> + 'a,
) -> Result<Vec<V>, DbError> {
    rows.iter().map(value).collect()
}

fn workspaces<'a>(work: &CommitGroupRows<'a>) -> Result<UnnestRows<'a>, DbError> {
    let rows = &work.workspaces;
    Ok(UnnestRows::from_rows(
        rows,
        vec![
            ("key", ColumnArray::Text(rows.iter().map(|(row, _)| row.key.as_str()).collect())),
            ("expected", ColumnArray::Number(map_column(rows, |(_, expected)| to_column(*expected))?)),
            ("seq", ColumnArray::Number(map_column(rows, |(row, _)| to_column(row.seq))?)),
            ("body", ColumnArray::Bytes(rows.iter().map(|(row, _)| row.body.as_slice()).collect())),
            ("created_at", ColumnArray::Number(rows.iter().map(|(row, _)| row.created_at.0).collect())),
            ("epoch", ColumnArray::Number(map_column(rows, |(row, _)| to_column(row.epoch))?)),
        ],
    ))
}

fn sessions<'a>(work: &CommitGroupRows<'a>) -> Result<UnnestRows<'a>, DbError> {
    let rows = &work.sessions;
    let states = map_column(rows, |(row, _)| state(row))?;
    Ok(UnnestRows::from_rows(
        rows,
        vec![
            ("workspace", ColumnArray::Text(rows.iter().map(|(row, _)| row.workspace.as_str()).collect())),
            ("id", ColumnArray::Text(rows.iter().map(|(row, _)| row.id.as_str()).collect())),
            ("expected", ColumnArray::Number(map_column(rows, |(_, expected)| to_column(*expected))?)),
            ("name", ColumnArray::Text(states.iter().map(|state| state.name).collect())),
            ("standing", ColumnArray::Text(states.iter().map(|state| state.moves.standing).collect())),
            ("phase", ColumnArray::Text(states.iter().map(|state| state.moves.phase).collect())),
            ("sequence", ColumnArray::Number(states.iter().map(|state| state.moves.sequence).collect())),
            ("rank", ColumnArray::Small(states.iter().map(|state| state.stays.rank).collect())),
            ("wake_at", ColumnArray::NumberOrNone(states.iter().map(|state| state.moves.wake_at).collect())),
            (
                "end_reason",
                ColumnArray::TextOrNone(states.iter().map(|state| state.moves.end_reason).collect()),
            ),
            (
                "last_activity",
                ColumnArray::Number(states.iter().map(|state| state.moves.last_activity).collect()),
            ),
            ("body", ColumnArray::Bytes(states.iter().map(|state| state.moves.body).collect())),
            ("placed", ColumnArray::Flag(states.iter().map(|state| state.stays.placed).collect())),
            ("working", ColumnArray::Flag(states.iter().map(|state| state.stays.working).collect())),
        ],
    ))
}

fn log<'a>(work: &CommitGroupRows<'a>) -> Result<UnnestRows<'a>, DbError> {
    let rows = &work.log;
    Ok(UnnestRows::from_rows(
        rows,
        vec![
            ("session", ColumnArray::Text(rows.iter().map(|row| row.session.as_str()).collect())),
            ("seq", ColumnArray::Number(map_column(rows, |row| to_column(row.seq))?)),
            ("sequence", ColumnArray::Number(map_column(rows, |row| to_column(row.sequence))?)),
            ("at", ColumnArray::Number(rows.iter().map(|row| row.at.0).collect())),
            ("label", ColumnArray::Text(rows.iter().map(|row| row.label.as_str()).collect())),
            (
                "client_key",
                ColumnArray::TextOrNone(rows.iter().map(|row| row.client_key.as_deref()).collect()),
            ),
            ("body", ColumnArray::Bytes(rows.iter().map(|row| row.body.as_slice()).collect())),
        ],
    ))
}

fn calls<'a>(work: &CommitGroupRows<'a>) -> Result<UnnestRows<'a>, DbError> {
    let rows = &work.calls;
    Ok(UnnestRows::from_rows(
        rows,
        vec![
            ("session", ColumnArray::Text(rows.iter().map(|row| row.session.as_str()).collect())),
            ("sequence", ColumnArray::Number(map_column(rows, |row| to_column(row.sequence))?)),
            ("ordinal", ColumnArray::Number(rows.iter().map(|row| i64::from(row.ordinal)).collect())),
            ("id", ColumnArray::Text(rows.iter().map(|row| stored_id(row)).collect())),
            ("command", ColumnArray::Text(rows.iter().map(|row| row.command.as_str()).collect())),
            (
                "command_id",
                ColumnArray::Hashes(rows.iter().map(|row| stored_digest(&row.command_id)).collect()),
            ),
            ("kind", ColumnArray::Text(rows.iter().map(|row| row.kind.word()).collect())),
            ("state", ColumnArray::Text(rows.iter().map(|row| row.state.word()).collect())),
            ("attempt", ColumnArray::Number(rows.iter().map(|row| i64::from(row.attempt)).collect())),
            ("exchange", ColumnArray::Number(map_column(rows, |row| to_column(row.exchange))?)),
            ("requested_at", ColumnArray::Number(rows.iter().map(|row| row.requested_at.0).collect())),
            (
                "finished_at",
                ColumnArray::NumberOrNone(rows.iter().map(|row| row.finished_at.map(|at| at.0)).collect()),
            ),
            (
                "result_seq",
                ColumnArray::NumberOrNone(map_column(rows, |row| row.result_seq.map(to_column).transpose())?),
            ),
            ("body", ColumnArray::Bytes(rows.iter().map(|row| row.body.as_slice()).collect())),
        ],
    ))
}

fn costs<'a>(work: &CommitGroupRows<'a>) -> UnnestRows<'a> {
    let rows = &work.costs;
    let stored: Vec<AttemptCostColumns<'a>> = rows.iter().map(|row| columns(row)).collect();
    let number =
        |value: fn(&AttemptCostColumns<'_>) -> i64| ColumnArray::Number(stored.iter().map(value).collect());
    let mut arrays = vec![
        ("session", ColumnArray::Text(rows.iter().map(|row| row.session.as_str()).collect())),
        ("round", number(|row| row.round)),
        ("attempt", number(|row| row.attempt)),
        ("at", number(|row| row.at)),
        ("automation", ColumnArray::TextOrNone(stored.iter().map(|row| row.automation).collect())),
        ("provider", ColumnArray::Text(stored.iter().map(|row| row.provider).collect())),
        ("model", ColumnArray::Text(stored.iter().map(|row| row.model).collect())),
        ("commands", ColumnArray::Text(stored.iter().map(|row| row.commands).collect())),
        ("person", ColumnArray::Text(stored.iter().map(|row| row.person).collect())),
    ];
    for (place, name) in USAGE_COLUMNS.into_iter().enumerate() {
        arrays.push((name, ColumnArray::Number(stored.iter().map(|row| row.usage[place]).collect())));
    }
    for (place, name) in HOLD_COLUMNS.into_iter().enumerate() {
        arrays.push((name, ColumnArray::Number(stored.iter().map(|row| row.hold[place]).collect())));
    }
    UnnestRows::from_rows(rows, arrays)
}

fn inbox<'a>(work: &CommitGroupRows<'a>) -> UnnestRows<'a> {
    let rows = &work.inbox;
    let columns = vec![
        ("session", ColumnArray::Text(rows.iter().map(|row| row.session.as_str()).collect())),
        ("item", ColumnArray::Text(rows.iter().map(|row| row.item.as_str()).collect())),
        ("kind", ColumnArray::Text(rows.iter().map(|row| row.kind.word()).collect())),
        ("asked_at", ColumnArray::Number(rows.iter().map(|row| row.asked_at.0).collect())),
        ("due_at", ColumnArray::NumberOrNone(rows.iter().map(|row| row.due_at.map(|at| at.0)).collect())),
        ("command", ColumnArray::TextOrNone(rows.iter().map(|row| row.command.as_deref()).collect())),
    ];
    UnnestRows::from_rows(rows, columns)
}
