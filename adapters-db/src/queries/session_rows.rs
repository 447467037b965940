//! Stored rows of `sessions`, and their conversion into rows of the ports.

use diesel::prelude::*;
use diesel::sql_types::{BigInt, Integer, Nullable, Text};
use entracte_application::ports::{ColumnWord, SessionListRow, SessionRow, StoreError, UnreadableSession};
use entracte_domain::id::{SessionId, WorkspaceKey};
use entracte_domain::session::{EndReason, PhaseLabel, SessionKind, Standing};
use entracte_domain::time::Timestamp;

use crate::column_numbers::from_column;
use crate::column_words::from_word_column;
use crate::db_error::DbError;
use crate::schema::{sessions, workspaces};

/// Ranks of sessions: waiting for a person, open, ended.
pub(crate) const WAITING: i32 = 0;
const OPEN: i32 = 1;
const ENDED: i32 = 2;

/// The database numbers of a session and of its workspace.
#[derive(Clone, Copy, Debug, Queryable)]
pub(crate) struct SessionRowKey {
    pub(crate) workspace_id: i64,
    pub(crate) session_id: i64,
}

/// The database numbers of a session and of its workspace, and its id.
#[derive(Clone, Debug, Queryable)]
pub(crate) struct SessionIdentity {
    pub(crate) session_id: i64,
    pub(crate) workspace_id: i64,
    pub(crate) id: String,
}

impl SessionIdentity {
    /// Its database numbers.
    pub(crate) fn key(&self) -> SessionRowKey {
        SessionRowKey { workspace_id: self.workspace_id, session_id: self.session_id }
    }
}

/// The columns of a [`StoredSessionLine`], in a statement whose text is written by hand.
pub(super) const LINE_COLUMNS: &str = "session_id, workspace_id, id, kind, name, standing, phase, rank, wake_at, \
                                       end_reason, created_at, last_activity";

/// The types of the [`LINE_COLUMNS`].
pub(super) type SessionLineSqlType =
    (BigInt, BigInt, Text, Text, Text, Text, Text, Integer, Nullable<BigInt>, Nullable<Text>, BigInt, BigInt);

/// A stored list row. A SQLite index covers it for sessions that wait or are open.
#[derive(Queryable, Selectable)]
#[diesel(table_name = sessions)]
pub(super) struct StoredSessionLine {
    pub(super) session_id: i64,
    pub(super) workspace_id: i64,
    pub(super) id: String,
    pub(super) kind: String,
    pub(super) name: String,
    pub(super) standing: String,
    pub(super) phase: String,
    pub(super) rank: i32,
    pub(super) wake_at: Option<i64>,
    pub(super) end_reason: Option<String>,
    pub(super) created_at: i64,
    pub(super) last_activity: i64,
}

/// A stored row, with the key of its workspace.
#[derive(Queryable, Selectable)]
#[diesel(table_name = sessions)]
pub(super) struct StoredSession {
    #[diesel(embed)]
    pub(super) line: StoredSessionLine,
    pub(super) sequence: i64,
    pub(super) placed: bool,
    pub(super) working: bool,
    pub(super) body: Vec<u8>,
    #[diesel(select_expression = workspaces::key)]
    pub(super) workspace: String,
}

impl AsRef<StoredSessionLine> for StoredSession {
    fn as_ref(&self) -> &StoredSessionLine {
        &self.line
    }
}

impl AsRef<StoredSessionLine> for StoredSessionLine {
    fn as_ref(&self) -> &StoredSessionLine {
        self
    }
}

/// The columns of a row that may be unreadable.
pub(super) struct ParsedColumns {
    sequence: u64,
    kind: SessionKind,
    standing: Standing,
    phase: PhaseLabel,
    end_reason: Option<EndReason>,
}

/// Parses the columns of a row that may be unreadable.
pub(super) fn parse_columns(stored: &StoredSession) -> Result<ParsedColumns, DbError> {
    let StoredSession { line, sequence, .. } = stored;
    let place = |column: &str| format!("sessions, {}, {column}", line.id);
    let end_reason = line.end_reason.as_deref();
    Ok(ParsedColumns {
        sequence: from_column(*sequence, || place("sequence"))?,
        kind: from_word_column(&line.kind, || place("kind"))?,
        standing: from_word_column(&line.standing, || place("standing"))?,
        phase: from_word_column(&line.phase, || place("phase"))?,
        end_reason: end_reason.map(|word| from_word_column(word, || place("end_reason"))).transpose()?,
    })
}

/// The row of the port.
pub(super) fn row(stored: StoredSession) -> Result<SessionRow, DbError> {
    let columns = parse_columns(&stored)?;
    Ok(row_of(stored, columns))
}

/// The row of the port, with the columns that were parsed.
pub(super) fn row_of(stored: StoredSession, columns: ParsedColumns) -> SessionRow {
    let ParsedColumns { sequence, kind, standing, phase, end_reason } = columns;
    let line = stored.line;
    SessionRow {
        id: SessionId::new(line.id),
        workspace: WorkspaceKey::new(stored.workspace),
        kind,
        name: line.name,
        standing,
        phase,
        sequence,
        placed: stored.placed,
        working: stored.working,
        waiting: line.rank == WAITING,
        wake_at: line.wake_at.map(Timestamp),
        end_reason,
        created_at: Timestamp(line.created_at),
        last_activity: Timestamp(line.last_activity),
        body: stored.body,
    }
}

/// A row that cannot be read, as a list shows it.
pub(super) fn unreadable(stored: StoredSession, fault: DbError) -> UnreadableSession {
    let line = line(stored.line, WorkspaceKey::new(stored.workspace));
    UnreadableSession { line, why: StoreError::from(fault).to_string() }
}

/// The list row of the port.
pub(super) fn line(stored: StoredSessionLine, workspace: WorkspaceKey) -> SessionListRow {
    SessionListRow {
        id: SessionId::new(stored.id),
        workspace,
        kind: ColumnWord::from_column(stored.kind),
        name: stored.name,
        standing: ColumnWord::from_column(stored.standing),
        phase: ColumnWord::from_column(stored.phase),
        waiting: stored.rank == WAITING,
        wake_at: stored.wake_at.map(Timestamp),
        end_reason: stored.end_reason.map(ColumnWord::from_column),
        created_at: Timestamp(stored.created_at),
        last_activity: Timestamp(stored.last_activity),
    }
}

/// The rank of a row.
pub(super) fn rank(row: &SessionRow) -> i32 {
    match (row.waiting, row.standing) {
        (true, _) => WAITING,
        (false, Standing::Ended) => ENDED,
        (false, _) => OPEN,
    }
}
