//! Queries on `sessions`.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use diesel::dsl::{min, not};
use diesel::prelude::*;
use diesel::sql_types::Bool;
use entracte_application::ports::{
    SessionFilter, SessionListRow, SessionRow, SessionRows, WaitCondition, WakeSchedule,
};
use entracte_domain::id::{SessionId, WorkspaceKey};
use entracte_domain::session::EndReason;
use entracte_domain::time::Timestamp;

use super::session_rows::{
    SessionRowKey, StoredSession, StoredSessionLine, line, parse_columns, rank, row, row_of, unreadable,
};
use crate::column_numbers::to_column;
use crate::connection::{DbConnection, on_either};
use crate::db_error::{DbError, mismatch, to_conflict};
use crate::dialect::{self, SessionChangeset, SessionIndexColumns, SessionRowValues};
use crate::prepared_statements::static_sql;
use crate::schema::{calls, log, sessions, workspaces};

/// Whether a deadline of a resting session may be due ([`SessionRow::is_due`]); served by its indexes alone.
macro_rules! is_woken {
    ($rested:expr, $now:expr) => {
        $rested.wake().is_not_null().and($rested.wake().le($now.0).or($rested.last_activity().gt($now.0)))
    };
}

/// The values of a new row.
#[derive(Insertable)]
#[diesel(table_name = sessions, treat_none_as_default_value = false)]
struct NewSessionRow<'a> {
    workspace_id: i64,
    id: &'a str,
    kind: &'a str,
    created_at: i64,
    #[diesel(embed)]
    state: SessionRowValues<'a>,
}

/// Inserts the row; returns its number. An existing row with that id is a conflict.
pub(crate) fn insert(conn: &mut DbConnection, workspace_id: i64, row: &SessionRow) -> Result<i64, DbError> {
    let new = NewSessionRow {
        workspace_id,
        id: row.id.as_str(),
        kind: row.kind.word(),
        created_at: row.created_at.0,
        state: state(row)?,
    };
    diesel::insert_into(sessions::table)
        .values(new)
        .returning(sessions::session_id)
        .get_result(conn)
        .map_err(|error| to_conflict(error, || format!("session {} (expected none, found one)", row.id)))
}

/// Updates the row with the sequence `expected`; returns its number.
pub(crate) fn update(
    conn: &mut DbConnection,
    workspace_id: i64,
    row: &SessionRow,
    expected: u64,
) -> Result<i64, DbError> {
    let number =
        dialect::update_session(conn, (workspace_id, row.id.as_str(), to_column(expected)?), &state(row)?)?;
    match number {
        Some(number) => Ok(number),
        None => {
            let found = sequence(conn, workspace_id, &row.id)?;
            Err(mismatch("session", row.id.as_str(), expected, found))
        }
    }
}

/// What becomes of the attempts of a deleted session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DeletedSessionCosts {
    /// They are deleted with it.
    Deleted,
    /// They stay among the sums.
    Detached,
}

/// Deletes the row with the sequence `expected`, with the session's entries and calls, and the prefixes that only it names.
pub(crate) fn delete(
    conn: &mut DbConnection,
    workspace_id: i64,
    id: &SessionId,
    expected: u64,
    attempts: DeletedSessionCosts,
) -> Result<(), DbError> {
    let old = sessions::table
        .filter(sessions::id.eq(id.as_str()))
        .filter(sessions::workspace_id.eq(workspace_id))
        .filter(sessions::sequence.eq(to_column(expected)?));
    let Some(number) = old.select(sessions::session_id).get_result::<i64>(conn).optional()? else {
        let found = sequence(conn, workspace_id, id)?;
        return Err(mismatch("session", id.as_str(), expected, found));
    };
    let prefixes = super::prefix_uses::used_by(conn, number)?;
    let files = super::files::used_by(conn, number)?;
    diesel::delete(calls::table.filter(calls::session_id.eq(number))).execute(conn)?;
    diesel::delete(log::table.filter(log::session_id.eq(number))).execute(conn)?;
    let key = SessionRowKey { workspace_id, session_id: number };
    match attempts {
        DeletedSessionCosts::Deleted => super::costs::delete_for_session(conn, key)?,
        DeletedSessionCosts::Detached => super::costs::detach_session(conn, key)?,
    }
    diesel::delete(sessions::table.filter(sessions::session_id.eq(number))).execute(conn)?;
    super::prefix_uses::delete_unused(conn, &prefixes)?;
    super::files::delete_unused(conn, &files)
}

/// The database number of a workspace's session.
pub(crate) fn number(
    conn: &mut DbConnection,
    key: &WorkspaceKey,
    id: &SessionId,
) -> Result<Option<i64>, DbError> {
    Ok(numbers(conn, key, id)?.map(|found| found.session_id))
}

/// The database numbers of a session and of its workspace.
pub(crate) fn numbers(
    conn: &mut DbConnection,
    key: &WorkspaceKey,
    id: &SessionId,
) -> Result<Option<SessionRowKey>, DbError> {
    let query = sessions::table
        .inner_join(workspaces::table)
        .filter(sessions::id.eq(id.as_str()))
        .filter(workspaces::key.eq(key.as_str()))
        .select((workspaces::workspace_id, sessions::session_id));
    Ok(query.get_result(conn).optional()?)
}

/// The database number of a session, in a workspace with a known number.
pub(crate) fn number_in(
    conn: &mut DbConnection,
    workspace_id: i64,
    id: &SessionId,
) -> Result<Option<i64>, DbError> {
    let query = sessions::table
        .filter(sessions::id.eq(id.as_str()))
        .filter(sessions::workspace_id.eq(workspace_id))
        .select(sessions::session_id);
    Ok(query.get_result(conn).optional()?)
}

/// Whether any workspace has a session with this id.
pub(crate) fn is_taken(conn: &mut DbConnection, id: &SessionId) -> Result<bool, DbError> {
    let query = sessions::table.filter(sessions::id.eq(id.as_str())).select(sessions::session_id);
    Ok(query.get_result::<i64>(conn).optional()?.is_some())
}

/// One row of a workspace.
pub(crate) fn find(
    conn: &mut DbConnection,
    key: &WorkspaceKey,
    id: &SessionId,
) -> Result<Option<SessionRow>, DbError> {
    let query = sessions::table
        .inner_join(workspaces::table)
        .filter(sessions::id.eq(id.as_str()))
        .filter(workspaces::key.eq(key.as_str()))
        .select(StoredSession::as_select());
    query.get_result(conn).optional()?.map(row).transpose()
}

/// The sessions of a workspace that hold or want a slot, oldest first.
pub(crate) fn placed(conn: &mut DbConnection, key: &WorkspaceKey) -> Result<Vec<SessionRow>, DbError> {
    let query = sessions::table
        .inner_join(workspaces::table)
        .filter(workspaces::key.eq(key.as_str()))
        .filter(sessions::placed)
        .order(sessions::session_id)
        .select(StoredSession::as_select());
    query.load(conn)?.into_iter().map(row).collect()
}

/// The sessions that work or may have a due deadline; each once, oldest first.
pub(crate) fn due(
    conn: &mut DbConnection,
    now: Timestamp,
) -> Result<Vec<(WorkspaceKey, SessionId)>, DbError> {
    let columns = (sessions::session_id, workspaces::key, sessions::id);
    let from = sessions::table.inner_join(workspaces::table).select(columns);
    // Two queries, because each is served by its own partial index.
    let mut found: Vec<(i64, String, String)> = from.filter(sessions::working).load(conn)?;
    let rested = dialect::idle_session_columns(conn);
    let at_rest = from.filter(not(sessions::working)).filter(is_woken!(rested, now));
    found.extend(at_rest.load::<(i64, String, String)>(conn)?);
    found.sort_unstable();
    found.dedup();
    Ok(found.into_iter().map(|(_, key, id)| (WorkspaceKey::new(key), SessionId::new(id))).collect())
}

/// The due sessions of one workspace.
pub(crate) fn due_in(
    conn: &mut DbConnection,
    key: &WorkspaceKey,
    now: Timestamp,
) -> Result<Vec<SessionId>, DbError> {
    let Some(workspace_id) = super::workspaces::number(conn, key)? else { return Ok(Vec::new()) };
    let columns = (sessions::session_id, sessions::id);
    let from = sessions::table.filter(sessions::workspace_id.eq(workspace_id)).select(columns);
    let mut found: Vec<(i64, String)> = from.filter(sessions::working).load(conn)?;
    let rested = dialect::idle_session_columns(conn);
    let at_rest = from.filter(not(sessions::working)).filter(is_woken!(rested, now));
    found.extend(at_rest.load::<(i64, String)>(conn)?);
    found.sort_unstable();
    found.dedup();
    Ok(found.into_iter().map(|(_, id)| SessionId::new(id)).collect())
}

/// The earliest `wake_at` of a workspace.
pub(crate) fn next_wake(conn: &mut DbConnection, key: &WorkspaceKey) -> Result<Option<Timestamp>, DbError> {
    let Some(workspace_id) = super::workspaces::number(conn, key)? else { return Ok(None) };
    let of_workspace = sessions::table.filter(sessions::workspace_id.eq(workspace_id));
    let at_work = of_workspace.filter(sessions::working).select(min(sessions::wake_at));
    let at_work: Option<i64> = at_work.get_result(conn)?;
    let rested = dialect::idle_session_columns(conn);
    let at_rest = of_workspace
        .filter(not(sessions::working))
        .filter(rested.wake().is_not_null())
        .select(min(rested.wake()));
    let at_rest: Option<i64> = at_rest.get_result(conn)?;
    Ok(at_work.into_iter().chain(at_rest).min().map(Timestamp))
}

/// The workspaces with a due `wake_at`, by key, and the earliest future one. Working sessions are read first: one that
/// begins to work meanwhile is missed, but checks its own deadlines.
pub(crate) fn agenda(conn: &mut DbConnection, now: Timestamp) -> Result<WakeSchedule, DbError> {
    let from = sessions::table.inner_join(workspaces::table);
    let at_work = from
        .filter(sessions::working)
        .filter(sessions::wake_at.is_not_null())
        .select((workspaces::key, sessions::wake_at.assume_not_null()));
    let at_work: Vec<(String, i64)> = at_work.load(conn)?;
    let rested = dialect::idle_session_columns(conn);
    let due = from.filter(not(sessions::working)).filter(rested.wake().le(now.0)).select(workspaces::key);
    let mut due: BTreeSet<String> = due.distinct().load(conn)?.into_iter().collect();
    let next = sessions::table.filter(not(sessions::working)).filter(rested.wake().gt(now.0));
    let next = next.select(min(rested.wake()));
    let mut next: Option<i64> = next.first(conn)?;
    for (key, at) in at_work {
        if at <= now.0 {
            due.insert(key);
        } else {
            next = next.into_iter().chain([at]).min();
        }
    }
    Ok(WakeSchedule { due: due.into_iter().map(WorkspaceKey::new).collect(), next: next.map(Timestamp) })
}

/// The workspaces with a placed session that waits for this condition, by key.
pub(crate) fn waiting(conn: &mut DbConnection, what: WaitCondition) -> Result<Vec<WorkspaceKey>, DbError> {
    let from = sessions::table
        .inner_join(workspaces::table)
        .filter(sessions::placed)
        .select(workspaces::key)
        .distinct()
        .order(workspaces::key);
    let keys: Vec<String> = match what {
        WaitCondition::Slot => {
            let [queued, suspended] = WaitCondition::STANDINGS;
            let waits = sessions::standing.eq(queued.word()).or(sessions::standing.eq(suspended.word()));
            from.filter(waits).load(conn)?
        }
        WaitCondition::Network => from.filter(sessions::phase.eq(WaitCondition::PHASE.word())).load(conn)?,
    };
    Ok(keys.into_iter().map(WorkspaceKey::new).collect())
}

/// Selects matching rows or list rows, of working or of resting sessions.
macro_rules! listed {
    ($filter:expr, $of:expr, $from:expr, $columns:ty, $which:expr) => {{
        let filter: &SessionFilter = $filter;
        let workspace_id: Option<i64> = $of;
        let mut query = $from.filter($which).select(<$columns>::as_select()).into_boxed();
        if let Some(number) = workspace_id {
            query = query.filter(sessions::workspace_id.eq(number));
        }
        // Literals, so that the partial indexes are used: SQLite requires their conditions verbatim in the query.
        if filter.waiting {
            query = query.filter(static_sql::<Bool>("rank = 0"));
        }
        if filter.waiting || filter.open {
            query = query.filter(static_sql::<Bool>("rank < 2"));
        }
        if filter.open {
            // An ended session may wait for a person who looks at its end.
            query = query.filter(sessions::standing.ne("ended"));
        }
        query
    }};
}

/// Loads all rows that match a filter from `$from`, in order, of the workspace with this number if given. A limited
/// query of resting sessions is ordered by an index; an unlimited one is sorted here, because the database would first
/// write each row to its sorter. Working sessions are few and are merged in here.
macro_rules! in_order {
    ($conn:ident, $filter:expr, $of:expr, $from:expr, $columns:ty) => {{
        let filter: &SessionFilter = $filter;
        let workspace_id: Option<i64> = $of;
        let rested = dialect::idle_session_columns($conn);
        let mut found: Vec<$columns> = on_either!($conn => {
            let mut at_rest = listed!(filter, workspace_id, $from, $columns, not(sessions::working));
            if filter.limit > 0 {
                let order = (sessions::rank.asc(), rested.last_activity().desc(), sessions::session_id.asc());
                at_rest = at_rest.order(order).limit(i64::from(filter.limit));
            }
            let mut found: Vec<$columns> = at_rest.load($conn)?;
            let at_work = listed!(filter, workspace_id, $from, $columns, sessions::working);
            found.extend(at_work.load::<$columns>($conn)?);
            found
        });
        // Rows are large and mostly in order already; otherwise the keys are sorted, and each row is moved once.
        let place = |found: &$columns| {
            let line: &StoredSessionLine = found.as_ref();
            (line.rank, Reverse(line.last_activity), line.session_id)
        };
        if !found.is_sorted_by_key(place) {
            found.sort_by_cached_key(place);
        }
        if filter.limit > 0 {
            found.truncate(filter.limit as usize);
        }
        found
    }};
}

/// The sessions that match the filter. Several queries; run it in a snapshot.
pub(crate) fn list(conn: &mut DbConnection, filter: &SessionFilter) -> Result<SessionRows, DbError> {
    let of = workspace_of(conn, filter)?;
    if of == Some(None) {
        return Ok(SessionRows::default());
    }
    let from = sessions::table.inner_join(workspaces::table);
    let mut listed = SessionRows::default();
    for stored in in_order!(conn, filter, of.flatten(), from, StoredSession) {
        match parse_columns(&stored) {
            Ok(columns) => listed.rows.push(row_of(stored, columns)),
            Err(fault) => listed.unreadable.push(unreadable(stored, fault)),
        }
    }
    Ok(listed)
}

/// The list rows that match the filter. Several queries; run it in a snapshot.
pub(crate) fn lines(conn: &mut DbConnection, filter: &SessionFilter) -> Result<Vec<SessionListRow>, DbError> {
    let of = workspace_of(conn, filter)?;
    if of == Some(None) {
        return Ok(Vec::new());
    }
    let found = in_order!(conn, filter, of.flatten(), sessions::table, StoredSessionLine);
    if let Some(key) = &filter.workspace {
        return Ok(found.into_iter().map(|found| line(found, key.clone())).collect());
    }
    let keys = super::workspaces::keys(conn, found.iter().map(|line| line.workspace_id))?;
    // A foreign key ensures that every session has its workspace.
    let with_key =
        |found: StoredSessionLine| keys.get(&found.workspace_id).map(|key| line(found, key.clone()));
    Ok(found.into_iter().filter_map(with_key).collect())
}

/// The number of the filter's workspace, if it names one; the inner value is `None` if that does not exist.
fn workspace_of(conn: &mut DbConnection, filter: &SessionFilter) -> Result<Option<Option<i64>>, DbError> {
    filter.workspace.as_ref().map(|key| super::workspaces::number(conn, key)).transpose()
}

/// The session ids of a workspace that begin with `prefix`, at most `most`, by id.
pub(crate) fn by_prefix(
    conn: &mut DbConnection,
    key: &WorkspaceKey,
    prefix: &str,
    most: i64,
) -> Result<Vec<SessionId>, DbError> {
    let Some(workspace_id) = super::workspaces::number(conn, key)? else { return Ok(Vec::new()) };
    // With an upper bound, so that ids of other workspaces after the prefix are not scanned.
    let end = format!("{prefix}{AFTER_ANY_ID}");
    let query = sessions::table
        .filter(sessions::id.ge(prefix))
        .filter(sessions::id.lt(&end))
        .filter(sessions::workspace_id.eq(workspace_id))
        .order(sessions::id)
        .limit(most)
        .select(sessions::id);
    let ids: Vec<String> = query.load(conn)?;
    Ok(ids.into_iter().filter(|id| id.starts_with(prefix)).map(SessionId::new).collect())
}

/// Sorts after every possible continuation of an id.
pub(super) const AFTER_ANY_ID: char = '\u{10FFFF}';

fn sequence(conn: &mut DbConnection, workspace_id: i64, id: &SessionId) -> Result<Option<i64>, DbError> {
    let query = sessions::table
        .filter(sessions::id.eq(id.as_str()))
        .filter(sessions::workspace_id.eq(workspace_id))
        .select(sessions::sequence);
    Ok(query.get_result(conn).optional()?)
}

pub(crate) fn state(row: &SessionRow) -> Result<SessionRowValues<'_>, DbError> {
    Ok(SessionRowValues {
        name: &row.name,
        moves: SessionChangeset {
            standing: row.standing.word(),
            phase: row.phase.word(),
            sequence: to_column(row.sequence)?,
            wake_at: row.wake_at.map(|at| at.0),
            end_reason: row.end_reason.map(EndReason::word),
            last_activity: row.last_activity.0,
            body: &row.body,
        },
        stays: SessionIndexColumns { placed: row.placed, working: row.working, rank: rank(row) },
    })
}
