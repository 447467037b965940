//! Queries on `log`.

use diesel::dsl::{max, min, sql};
use diesel::prelude::*;
use diesel::sql_types::BigInt;
use entracte_application::ports::{LogExtent, LogRow, RewrittenEntryRow, WorkspaceCommit};
use entracte_domain::id::{SessionId, WorkspaceKey};
use entracte_domain::time::Timestamp;

use super::session_rows::SessionRowKey;
use crate::column_numbers::{from_column, to_column};
use crate::connection::{DbConnection, on_either};
use crate::db_error::{DbError, to_conflict};
use crate::prepared_statements::NamedQuery;
use crate::schema::{log, sessions};

/// A row to insert.
#[derive(Insertable)]
#[diesel(table_name = log, treat_none_as_default_value = false)]
struct NewLogEntry<'a> {
    place: i64,
    workspace_id: i64,
    seq: i64,
    session_id: i64,
    sequence: i64,
    at: i64,
    label: &'a str,
    client_key: Option<&'a str>,
    body: &'a [u8],
}

/// A stored row.
#[derive(Queryable, Selectable)]
#[diesel(table_name = log)]
struct StoredLogEntry {
    seq: i64,
    sequence: i64,
    at: i64,
    label: String,
    client_key: Option<String>,
    body: Vec<u8>,
}

/// Maximum length of a client key in bytes: a Postgres index entry holds little more.
const CLIENT_KEY_MAX: usize = 2000;

/// Maximum entries of a workspace, and workspaces of a database, that [`LogPlace`] can number.
pub(crate) const ENTRIES_MAX: i64 = 1 << 36;
const WORKSPACES_MAX: i64 = 1 << 27;

/// The position of an entry: its workspace, then its number there.
#[derive(Clone, Copy)]
struct LogPlace {
    workspace_id: i64,
    seq: i64,
}

impl LogPlace {
    /// The position as the primary key. Impossible numbers are clamped.
    fn column(self) -> i64 {
        self.workspace_id * ENTRIES_MAX + self.seq.clamp(0, ENTRIES_MAX - 1)
    }
}

/// Whether the entry's values fit their columns.
pub(crate) fn fits_columns(row: &LogRow) -> bool {
    row.client_key.as_ref().is_none_or(|key| key.len() <= CLIENT_KEY_MAX)
        && to_column(row.seq).is_ok_and(|seq| seq < ENTRIES_MAX)
}

/// Checks that log entries, then changes, are numbered without gaps, and that the workspace's number is the last.
pub(crate) fn check_numbers(commit: &WorkspaceCommit) -> Result<(), DbError> {
    let mut seq = commit.expected_seq.unwrap_or(0);
    for row in &commit.log {
        seq += 1;
        if row.seq != seq {
            let key = &commit.workspace.key;
            return Err(DbError::Refused(format!("workspace {key}: log entry {}, expected {seq}", row.seq)));
        }
    }
    for (row, _) in &commit.changes {
        seq += 1;
        if row.seq != seq {
            let key = &commit.workspace.key;
            return Err(DbError::Refused(format!("workspace {key}: change {}, expected {seq}", row.seq)));
        }
    }
    if commit.workspace.seq != seq {
        let (key, found) = (&commit.workspace.key, commit.workspace.seq);
        return Err(DbError::Refused(format!("workspace {key}: seq {found}, but the log ends at {seq}")));
    }
    Ok(())
}

/// Appends an entry. An existing entry with its sequence or client key is a conflict.
pub(crate) fn append(conn: &mut DbConnection, session: SessionRowKey, row: &LogRow) -> Result<(), DbError> {
    let SessionRowKey { workspace_id, session_id } = session;
    if let Some(length) = row.client_key.as_ref().map(String::len).filter(|length| *length > CLIENT_KEY_MAX) {
        return Err(DbError::Refused(format!(
            "a client key of {length} bytes where {CLIENT_KEY_MAX} is the most"
        )));
    }
    let seq = to_column(row.seq)?;
    if workspace_id >= WORKSPACES_MAX || seq >= ENTRIES_MAX {
        return Err(DbError::Refused(format!(
            "entry {seq} of workspace {workspace_id}, where a database has room for {ENTRIES_MAX} entries in each of {WORKSPACES_MAX} workspaces"
        )));
    }
    let new = NewLogEntry {
        place: LogPlace { workspace_id, seq }.column(),
        workspace_id,
        seq,
        session_id,
        sequence: to_column(row.sequence)?,
        at: row.at.0,
        label: &row.label,
        client_key: row.client_key.as_deref(),
        body: &row.body,
    };
    struct LogEntryInsert;
    let insert = NamedQuery::new(LogEntryInsert, diesel::insert_into(log::table).values(new));
    on_either!(conn => insert.execute(conn)).map_err(|error| to_conflict(error, || describe(row)))?;
    Ok(())
}

/// Replaces the body of a stored entry.
pub(crate) fn rewrite(
    conn: &mut DbConnection,
    workspace_id: i64,
    row: &RewrittenEntryRow,
) -> Result<(), DbError> {
    let place = LogPlace { workspace_id, seq: to_column(row.seq)? }.column();
    diesel::update(log::table.find(place)).set(log::body.eq(&row.body)).execute(conn)?;
    Ok(())
}

/// Deletes the entries of a session up to a sequence.
pub(crate) fn trim(conn: &mut DbConnection, session_id: i64, through: u64) -> Result<(), DbError> {
    let first =
        log::table.filter(log::session_id.eq(session_id)).filter(log::sequence.le(to_column(through)?));
    diesel::delete(first).execute(conn)?;
    Ok(())
}

/// The first and the last sequence of a session's entries, and their bytes.
pub(crate) fn extent(
    conn: &mut DbConnection,
    workspace: &WorkspaceKey,
    session: &SessionId,
) -> Result<LogExtent, DbError> {
    let Some(session_id) = super::sessions::number(conn, workspace, session)? else {
        return Ok(LogExtent::default());
    };
    let bytes = sql::<BigInt>("CAST(coalesce(sum(length(body)), 0) AS BIGINT)");
    let query = log::table.filter(log::session_id.eq(session_id)).select((
        min(log::sequence),
        max(log::sequence),
        bytes,
    ));
    let (first, last, bytes): (Option<i64>, Option<i64>, i64) = query.get_result(conn)?;
    let number = |number: Option<i64>| {
        from_column(number.unwrap_or_default(), || format!("log, session {session}, sequence"))
    };
    let prefixes = super::prefix_uses::count_used_by(conn, session_id)?.unsigned_abs();
    Ok(LogExtent { first: number(first)?, last: number(last)?, bytes: bytes.unsigned_abs(), prefixes })
}

/// Entries of a session with a number greater than `after`, in order.
pub(crate) fn entries(
    conn: &mut DbConnection,
    workspace: &WorkspaceKey,
    session: &SessionId,
    after: u64,
    limit: u32,
) -> Result<Vec<LogRow>, DbError> {
    let Some(key) = super::sessions::numbers(conn, workspace, session)? else { return Ok(Vec::new()) };
    let behind = last_until(conn, key, to_column(after)?)?;
    load_since(conn, SessionWithRowId { id: session, session_id: key.session_id }, behind, limit)
}

/// The sequence of a session's last entry with a number of at most `seq`; [`BEFORE_ALL`] if there is none. Sequences
/// grow with the numbers.
fn last_until(conn: &mut DbConnection, session: SessionRowKey, seq: i64) -> Result<i64, DbError> {
    let SessionRowKey { workspace_id, session_id } = session;
    if seq == 0 {
        return Ok(BEFORE_ALL);
    }
    // A reader that pages through a session passes the number of one of its entries.
    let named = log::table
        .find(LogPlace { workspace_id, seq }.column())
        .filter(log::session_id.eq(session_id))
        .select(log::sequence)
        .get_result(conn)
        .optional()?;
    if let Some(sequence) = named {
        return Ok(sequence);
    }
    // A reader that follows the workspace is near the end; only the index is read on the way there.
    let before = log::table
        .filter(log::session_id.eq(session_id))
        .filter(log::place.le(LogPlace { workspace_id, seq }.column()))
        .order(log::sequence.desc())
        .select(log::sequence);
    Ok(before.first(conn).optional()?.unwrap_or(BEFORE_ALL))
}

/// Smaller than any sequence.
const BEFORE_ALL: i64 = -1;

/// Entries of a session with a sequence greater than `sequence`, in order.
pub(crate) fn since(
    conn: &mut DbConnection,
    workspace: &WorkspaceKey,
    session: &SessionId,
    sequence: u64,
    limit: u32,
) -> Result<Vec<LogRow>, DbError> {
    let Some(session_id) = super::sessions::number(conn, workspace, session)? else { return Ok(Vec::new()) };
    load_since(conn, SessionWithRowId { id: session, session_id }, to_column(sequence)?, limit)
}

/// A session and its database number.
#[derive(Clone, Copy)]
struct SessionWithRowId<'a> {
    id: &'a SessionId,
    session_id: i64,
}

fn load_since(
    conn: &mut DbConnection,
    session: SessionWithRowId<'_>,
    sequence: i64,
    limit: u32,
) -> Result<Vec<LogRow>, DbError> {
    let query = log::table
        .filter(log::session_id.eq(session.session_id))
        .filter(log::sequence.gt(sequence))
        .order(log::sequence)
        .limit(i64::from(limit))
        .select(StoredLogEntry::as_select());
    query.load(conn)?.into_iter().map(|stored| row(stored, session.id.clone())).collect()
}

/// Entries of a session with a known number, after the entry with the sequence `after`, in order.
pub(crate) fn page_of_session(
    conn: &mut DbConnection,
    key: SessionRowKey,
    session: &SessionId,
    after: Option<u64>,
    limit: u32,
) -> Result<Vec<LogRow>, DbError> {
    let after = after.map(to_column).transpose()?.unwrap_or(BEFORE_ALL);
    load_since(conn, SessionWithRowId { id: session, session_id: key.session_id }, after, limit)
}

/// Entries of all sessions of a workspace with a number greater than `after`, in order.
pub(crate) fn list_all_sessions(
    conn: &mut DbConnection,
    workspace: &WorkspaceKey,
    after: u64,
    limit: u32,
) -> Result<Vec<LogRow>, DbError> {
    let Some(workspace_id) = super::workspaces::number(conn, workspace)? else { return Ok(Vec::new()) };
    let query = log::table
        .inner_join(sessions::table)
        .filter(log::place.gt(LogPlace { workspace_id, seq: to_column(after)? }.column()))
        .filter(log::place.lt(LogPlace { workspace_id: workspace_id + 1, seq: 0 }.column()))
        .order(log::place)
        .limit(i64::from(limit))
        .select((StoredLogEntry::as_select(), sessions::id));
    query
        .load(conn)?
        .into_iter()
        .map(|(stored, session): (_, String)| row(stored, SessionId::new(session)))
        .collect()
}

/// The entry with this number in the workspace.
pub(crate) fn entry(
    conn: &mut DbConnection,
    workspace: &WorkspaceKey,
    seq: u64,
) -> Result<Option<LogRow>, DbError> {
    let Some(workspace_id) = super::workspaces::number(conn, workspace)? else { return Ok(None) };
    let query = log::table
        .inner_join(sessions::table)
        .filter(log::place.eq(LogPlace { workspace_id, seq: to_column(seq)? }.column()))
        .select((StoredLogEntry::as_select(), sessions::id));
    query
        .get_result(conn)
        .optional()?
        .map(|(stored, session): (_, String)| row(stored, SessionId::new(session)))
        .transpose()
}

/// The entry of a session with this client key.
pub(crate) fn by_client_key(
    conn: &mut DbConnection,
    workspace: &WorkspaceKey,
    session: &SessionId,
    client_key: &str,
) -> Result<Option<LogRow>, DbError> {
    let Some(session_id) = super::sessions::number(conn, workspace, session)? else { return Ok(None) };
    let query = log::table
        .filter(log::session_id.eq(session_id))
        .filter(log::client_key.eq(client_key))
        .select(StoredLogEntry::as_select());
    query.get_result(conn).optional()?.map(|stored| row(stored, session.clone())).transpose()
}

fn describe(row: &LogRow) -> String {
    let key = row.client_key.as_ref().map(|key| format!(", client key {key}")).unwrap_or_default();
    format!("log entry {} of session {} (input {}{key})", row.seq, row.session, row.sequence)
}

fn row(stored: StoredLogEntry, session: SessionId) -> Result<LogRow, DbError> {
    let place = |column: &str| format!("log, session {session}, {column}");
    Ok(LogRow {
        seq: from_column(stored.seq, || place("seq"))?,
        sequence: from_column(stored.sequence, || place("sequence"))?,
        at: Timestamp(stored.at),
        label: stored.label,
        client_key: stored.client_key,
        body: stored.body,
        session,
    })
}
