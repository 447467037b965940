//! Queries on `calls`, the ledger.

use data_encoding::HEXLOWER;
use diesel::prelude::*;
use diesel::sql_types::Bool;
use entracte_application::ports::{CallRow, RemovedCallRow};
use entracte_domain::id::{CallId, Digest, SessionId, WorkspaceKey};
use entracte_domain::time::Timestamp;

use super::session_rows::SessionRowKey;
use crate::column_numbers::{from_column, to_column};
use crate::column_words::from_word_column;
use crate::connection::DbConnection;
use crate::db_error::DbError;
use crate::dialect::{self, CallChangeset, CallRowValues};
use crate::prepared_statements::static_sql;
use crate::schema::{calls, sessions, workspaces};

/// A stored row, with the id of its session.
#[derive(Queryable, Selectable)]
#[diesel(table_name = calls)]
struct StoredCall {
    sequence: i64,
    ordinal: i64,
    id: String,
    command: String,
    command_id: Vec<u8>,
    kind: String,
    state: String,
    attempt: i64,
    exchange: i64,
    requested_at: i64,
    finished_at: Option<i64>,
    result_seq: Option<i64>,
    body: Vec<u8>,
    #[diesel(select_expression = sessions::id)]
    session: String,
}

/// Inserts or updates a row. Refuses the key of another call. `is_new`: the row most likely does not exist yet.
pub(crate) fn put(
    conn: &mut DbConnection,
    session: SessionRowKey,
    row: &CallRow,
    is_new: bool,
) -> Result<(), DbError> {
    let SessionRowKey { workspace_id, session_id } = session;
    let command_id = stored_digest(&row.command_id);
    let columns = CallRowValues {
        session_id,
        sequence: to_column(row.sequence)?,
        ordinal: i64::from(row.ordinal),
        id: stored_id(row),
        workspace_id,
        moves: CallChangeset {
            command: &row.command,
            command_id: &command_id,
            kind: row.kind.word(),
            state: row.state.word(),
            attempt: i64::from(row.attempt),
            exchange: to_column(row.exchange)?,
            requested_at: row.requested_at.0,
            finished_at: row.finished_at.map(|at| at.0),
            result_seq: row.result_seq.map(to_column).transpose()?,
            body: &row.body,
        },
    };
    match dialect::upsert_call(conn, &columns, is_new)? {
        0 => Err(DbError::Refused(format!("call {} would replace another call", row.id))),
        _ => Ok(()),
    }
}

/// Deletes the calls that entries of a session up to a sequence requested.
pub(crate) fn trim(conn: &mut DbConnection, session_id: i64, through: u64) -> Result<(), DbError> {
    let first =
        calls::table.filter(calls::session_id.eq(session_id)).filter(calls::sequence.le(to_column(through)?));
    diesel::delete(first).execute(conn)?;
    Ok(())
}

/// Deletes a call, if it is stored.
pub(crate) fn delete(conn: &mut DbConnection, session_id: i64, row: &RemovedCallRow) -> Result<(), DbError> {
    let stored = calls::table.find((session_id, to_column(row.sequence)?, i64::from(row.ordinal)));
    diesel::delete(stored).execute(conn)?;
    Ok(())
}

/// The calls of a session in the order they were requested.
pub(crate) fn list_for_session(
    conn: &mut DbConnection,
    workspace: &WorkspaceKey,
    session: &SessionId,
) -> Result<Vec<CallRow>, DbError> {
    let Some(session_id) = super::sessions::number(conn, workspace, session)? else { return Ok(Vec::new()) };
    let query = calls::table
        .inner_join(sessions::table)
        .filter(calls::session_id.eq(session_id))
        .order((calls::sequence, calls::ordinal))
        .select(StoredCall::as_select());
    query.load(conn)?.into_iter().map(row).collect()
}

/// One call of a workspace. Ids are derived from the row's key, so the key is parsed from the id; an id of another form
/// is searched in the whole table.
pub(crate) fn find(
    conn: &mut DbConnection,
    workspace: &WorkspaceKey,
    id: &CallId,
) -> Result<Option<CallRow>, DbError> {
    let base = calls::table
        .inner_join(sessions::table.inner_join(workspaces::table))
        .filter(workspaces::key.eq(workspace.as_str()));
    let found = match place(id) {
        Some((session, sequence, ordinal)) => base
            .filter(calls::id.eq(BY_KEY))
            .filter(sessions::id.eq(session))
            .filter(calls::sequence.eq(sequence))
            .filter(calls::ordinal.eq(ordinal))
            .select(StoredCall::as_select())
            .get_result(conn)
            .optional()?,
        None => None,
    };
    let found = match found {
        Some(found) => Some(found),
        None => {
            let named = base.filter(calls::id.eq(id.as_str()));
            named.select(StoredCall::as_select()).get_result(conn).optional()?
        }
    };
    found.map(row).transpose()
}

/// The calls of a session with this command id in this exchange, latest first. An exchange is named after its first
/// input, so earlier calls are not searched.
pub(crate) fn identical_calls(
    conn: &mut DbConnection,
    workspace: &WorkspaceKey,
    session: &SessionId,
    command_id: &Digest,
    exchange: u64,
) -> Result<Vec<CallRow>, DbError> {
    let query = calls::table
        .inner_join(sessions::table.inner_join(workspaces::table))
        .filter(sessions::id.eq(session.as_str()))
        .filter(workspaces::key.eq(workspace.as_str()))
        .filter(calls::sequence.ge(to_column(exchange)?))
        .filter(calls::exchange.eq(to_column(exchange)?))
        .filter(calls::command_id.eq(stored_digest(command_id)))
        .order((calls::sequence.desc(), calls::ordinal.desc()))
        .select(StoredCall::as_select());
    query.load(conn)?.into_iter().map(row).collect()
}

/// The calls of a workspace in state `unknown`, latest first.
pub(crate) fn unsettled(conn: &mut DbConnection, workspace: &WorkspaceKey) -> Result<Vec<CallRow>, DbError> {
    let Some(workspace_id) = super::workspaces::number(conn, workspace)? else { return Ok(Vec::new()) };
    let query = calls::table
        .inner_join(sessions::table)
        .filter(calls::workspace_id.eq(workspace_id))
        // A literal, so that the partial index is used.
        .filter(static_sql::<Bool>("state = 'unknown'"))
        .order((
            calls::requested_at.desc(),
            calls::session_id.desc(),
            calls::sequence.desc(),
            calls::ordinal.desc(),
        ))
        .select(StoredCall::as_select());
    query.load(conn)?.into_iter().map(row).collect()
}

/// Stored instead of an id that is derived from the row's key.
const BY_KEY: &str = "";

/// The id to store: empty if it is derived from the key.
pub(crate) fn stored_id(row: &CallRow) -> &str {
    let is_by_key = row.id == row.session.call_id(row.sequence, row.ordinal as usize);
    if is_by_key { BY_KEY } else { row.id.as_str() }
}

/// A hash as its bytes. Other texts are stored after a marker byte, and never with a hash's length.
pub(crate) fn stored_digest(digest: &Digest) -> Vec<u8> {
    let text = digest.as_str();
    match (HEXLOWER.decode(text.as_bytes()), text.len()) {
        (Ok(hash), 64) => hash,
        (_, 31) => format!("~{text}~").into_bytes(),
        _ => format!("={text}").into_bytes(),
    }
}

/// Decodes a stored hash; `None` if nothing is stored.
pub(crate) fn digest(stored: &[u8]) -> Option<Digest> {
    let text = |stored: &[u8]| std::str::from_utf8(stored).ok().map(Digest::new);
    match stored {
        hash if hash.len() == 32 => Some(Digest::new(HEXLOWER.encode(hash))),
        [b'~', within @ .., b'~'] if stored.len() == 33 => text(within),
        [b'=', behind @ ..] => text(behind),
        _ => None,
    }
}

/// Session, sequence and ordinal of `cal_<session>_<sequence>_<ordinal>`.
fn place(id: &CallId) -> Option<(String, i64, i64)> {
    let mut parts = id.as_str().strip_prefix("cal_")?.rsplitn(3, '_');
    let ordinal = parts.next()?.parse().ok()?;
    let sequence = parts.next()?.parse().ok()?;
    Some((format!("ses_{}", parts.next()?), sequence, ordinal))
}

fn row(stored: StoredCall) -> Result<CallRow, DbError> {
    let session = SessionId::new(stored.session);
    let place = |column: &str| format!("calls, {session} {} {}, {column}", stored.sequence, stored.ordinal);
    let sequence = from_column(stored.sequence, || place("sequence"))?;
    let ordinal = from_column(stored.ordinal, || place("ordinal"))?;
    let command_id = digest(&stored.command_id)
        .ok_or_else(|| DbError::Damaged(format!("{}: it is not a hash", place("command_id"))))?;
    Ok(CallRow {
        sequence,
        ordinal,
        attempt: from_column(stored.attempt, || place("attempt"))?,
        exchange: from_column(stored.exchange, || place("exchange"))?,
        result_seq: stored.result_seq.map(|seq| from_column(seq, || place("result_seq"))).transpose()?,
        id: match stored.id.as_str() {
            BY_KEY => session.call_id(sequence, ordinal as usize),
            other => CallId::new(other),
        },
        command: stored.command,
        command_id,
        kind: from_word_column(&stored.kind, || place("kind"))?,
        state: from_word_column(&stored.state, || place("state"))?,
        requested_at: Timestamp(stored.requested_at),
        finished_at: stored.finished_at.map(Timestamp),
        body: stored.body,
        session,
    })
}
