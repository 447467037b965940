//! What the databases do not have in common. Each function here picks the dialect of the connection and does
//! nothing else; adding a database means one more file and one more arm each.

mod call;
pub(crate) mod postgres;
mod search;
mod session;
pub(crate) mod sqlite;
mod workspace;

use std::collections::BTreeMap;

use diesel::QueryResult;
use diesel::connection::SimpleConnection;
use entracte_application::ports::ChunkQuery;

use crate::connection::DbConnection;
use crate::db_error::DbError;
pub(crate) use call::{CallChangeset, CallRowValues};
pub(crate) use postgres::ServerBackend;
pub(crate) use postgres::commit_group_statement::{ColumnArray, CommitGroupStatement, UnnestRows};
pub use postgres::{ReplicaStatus, ReplicationStatus};
pub(crate) use search::ChunkIndexHit;
pub(crate) use session::{
    IdleSessionColumns, SessionChangeset, SessionIndexColumns, SessionRowValues, SessionRowVersion,
};
pub(crate) use workspace::{WorkspaceChangeset, WorkspaceRowVersion};

/// Begins the transaction of a group, ready to write at once: one that reads first and writes later can lose
/// its turn.
pub(crate) fn begin(conn: &mut DbConnection) -> QueryResult<()> {
    match conn {
        DbConnection::Sqlite(conn) => sqlite::begin(conn),
        DbConnection::Postgres(conn) => postgres::begin(conn),
    }
}

/// Commits the transaction of a group.
pub(crate) fn commit(conn: &mut DbConnection) -> QueryResult<()> {
    match conn {
        DbConnection::Sqlite(conn) => sqlite::commit(conn),
        DbConnection::Postgres(conn) => conn.batch_execute("COMMIT"),
    }
}

/// Undoes the transaction of a group.
pub(crate) fn roll_back(conn: &mut DbConnection) -> QueryResult<()> {
    match conn {
        DbConnection::Sqlite(conn) => sqlite::roll_back(conn),
        DbConnection::Postgres(conn) => conn.batch_execute("ROLLBACK"),
    }
}

/// Whether to write a group again costs less than a savepoint for each piece of it: where savepoints copy pages, and nothing is
/// a way to a server.
pub(crate) fn prefers_group_retry(conn: &DbConnection) -> bool {
    match conn {
        DbConnection::Sqlite(_) => true,
        DbConnection::Postgres(_) => false,
    }
}

/// What follows can be undone by itself.
pub(crate) fn begin_savepoint(conn: &mut DbConnection) -> QueryResult<()> {
    match conn {
        DbConnection::Sqlite(conn) => sqlite::begin_savepoint(conn),
        DbConnection::Postgres(conn) => conn.batch_execute("SAVEPOINT work"),
    }
}

/// What came since [`begin_savepoint`] stands with the transaction.
pub(crate) fn release_savepoint(conn: &mut DbConnection) -> QueryResult<()> {
    match conn {
        DbConnection::Sqlite(conn) => sqlite::release_savepoint(conn),
        DbConnection::Postgres(conn) => conn.batch_execute("RELEASE work"),
    }
}

/// What came since [`begin_savepoint`] is undone.
pub(crate) fn roll_back_savepoint(conn: &mut DbConnection) -> QueryResult<()> {
    match conn {
        DbConnection::Sqlite(conn) => sqlite::roll_back_savepoint(conn),
        DbConnection::Postgres(conn) => conn.batch_execute("ROLLBACK TO work; RELEASE work"),
    }
}

/// Begins a transaction that sees what was committed before its first question, and nothing later.
pub(crate) fn begin_snapshot(conn: &mut DbConnection) -> QueryResult<()> {
    match conn {
        DbConnection::Sqlite(conn) => sqlite::begin_snapshot(conn),
        DbConnection::Postgres(conn) => postgres::begin_snapshot(conn),
    }
}

/// What several questions say of one state of the database.
pub(crate) fn in_snapshot<T>(
    conn: &mut DbConnection,
    questions: impl FnOnce(&mut DbConnection) -> Result<T, DbError>,
) -> Result<T, DbError> {
    begin_snapshot(conn)?;
    let answer = questions(conn);
    let ended = conn.batch_execute("ROLLBACK");
    let answer = answer?;
    ended?;
    Ok(answer)
}

/// Puts the state of a workspace in the place of the one that stands under this key, unless that is of a later epoch; returns its
/// number, none when another one stands there.
pub(crate) fn update_workspace(
    conn: &mut DbConnection,
    was: WorkspaceRowVersion<'_>,
    state: WorkspaceChangeset<'_>,
) -> QueryResult<Option<i64>> {
    match conn {
        DbConnection::Sqlite(conn) => sqlite::update_workspace(conn, was, state),
        DbConnection::Postgres(conn) => postgres::update_workspace(conn, was, state),
    }
}

/// Puts the state of a session in the place of the one that stands under this key; returns its number, none when another one
/// stands there.
pub(crate) fn update_session(
    conn: &mut DbConnection,
    key: SessionRowVersion<'_>,
    state: &SessionRowValues<'_>,
) -> QueryResult<Option<i64>> {
    match conn {
        DbConnection::Sqlite(conn) => sqlite::update_session(conn, key, state),
        DbConnection::Postgres(conn) => postgres::update_session(conn, key, state),
    }
}

/// The columns by which those sessions are found that rest.
pub(crate) fn idle_session_columns(conn: &DbConnection) -> IdleSessionColumns {
    match conn {
        DbConnection::Sqlite(_) => sqlite::RESTED,
        DbConnection::Postgres(_) => postgres::RESTED,
    }
}

/// Inserts or changes a call; returns the number of rows, 0 when another call is in its place. `is_new`: it is not there yet, most
/// likely.
pub(crate) fn upsert_call(
    conn: &mut DbConnection,
    call: &CallRowValues<'_>,
    is_new: bool,
) -> QueryResult<usize> {
    match conn {
        DbConnection::Sqlite(conn) => sqlite::upsert_call(conn, call, is_new),
        DbConnection::Postgres(conn) => postgres::upsert_call(conn, call),
    }
}

/// Whether [`write_commit_group`] is worth while: where each statement is a way to a server and back.
pub(crate) fn supports_group_statement(conn: &DbConnection) -> bool {
    match conn {
        DbConnection::Sqlite(_) => false,
        DbConnection::Postgres(_) => true,
    }
}

/// Writes commits of sessions at work in one statement, outside any transaction: all of them, or nothing when one of them
/// meets another row than it expects. Returns whether they are written; an error that the server told means that they are
/// not, any other leaves it open.
pub(crate) fn write_commit_group(
    conn: &mut DbConnection,
    work: CommitGroupStatement<'_>,
) -> QueryResult<bool> {
    match conn {
        DbConnection::Sqlite(_) => Ok(false),
        DbConnection::Postgres(conn) => postgres::commit_group_statement::write_commit_group(conn, work),
    }
}

/// Keeps bytes by their hash, unless they are kept.
pub(crate) fn insert_blob_if_absent(
    conn: &mut DbConnection,
    digest: &str,
    bytes: &[u8],
) -> QueryResult<usize> {
    match conn {
        DbConnection::Sqlite(conn) => sqlite::insert_blob_if_absent(conn, digest, bytes),
        DbConnection::Postgres(conn) => postgres::insert_blob_if_absent(conn, digest, bytes),
    }
}

/// Keeps a hash, unless it is kept.
pub(crate) fn insert_hash_if_absent(conn: &mut DbConnection, hash: &[u8]) -> QueryResult<usize> {
    match conn {
        DbConnection::Sqlite(conn) => sqlite::insert_hash_if_absent(conn, hash),
        DbConnection::Postgres(conn) => postgres::insert_hash_if_absent(conn, hash),
    }
}

/// The chunks of a library that match, at most `limit`: those that the index of the database ranks first, in no order.
pub(crate) fn matching_chunks(
    conn: &mut DbConnection,
    library: i64,
    wanted: &ChunkQuery,
    limit: u32,
) -> QueryResult<Vec<ChunkIndexHit>> {
    match conn {
        DbConnection::Sqlite(conn) => sqlite::search::matching_chunks(conn, library, wanted, limit),
        DbConnection::Postgres(conn) => postgres::search::matching_chunks(conn, library, wanted, limit),
    }
}

/// Adds to the number of chunks that each term stands in; a term may be left with none.
pub(crate) fn count_terms(
    conn: &mut DbConnection,
    library: i64,
    counts: &BTreeMap<String, i64>,
) -> QueryResult<()> {
    match conn {
        DbConnection::Sqlite(conn) => sqlite::search::count_terms(conn, library, counts),
        DbConnection::Postgres(conn) => postgres::search::count_terms(conn, library, counts),
    }
}

/// What a connection remembers of the changes that it saw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MailChangeVersion {
    seen: i64,
}

/// Lets a connection see when mail changes, from now on.
pub(crate) fn watch_mail(conn: &mut DbConnection) -> QueryResult<()> {
    match conn {
        DbConnection::Sqlite(_) => Ok(()),
        DbConnection::Postgres(conn) => postgres::watch_mail(conn),
    }
}

/// A mark that is another one after mail changed; the one of the last look is `old`.
pub(crate) fn mail_change_version(
    conn: &mut DbConnection,
    old: Option<MailChangeVersion>,
) -> QueryResult<MailChangeVersion> {
    let seen = match conn {
        DbConnection::Sqlite(conn) => sqlite::data_version(conn)?,
        DbConnection::Postgres(conn) => {
            let notices = i64::try_from(postgres::drain_notifications(conn)?).unwrap_or(i64::MAX);
            old.map_or(0, |old| old.seen).wrapping_add(notices)
        }
    };
    Ok(MailChangeVersion { seen })
}

/// Whether the other end of a connection may go away while this process lives.
pub(crate) fn can_disconnect(conn: &DbConnection) -> bool {
    match conn {
        DbConnection::Sqlite(_) => false,
        DbConnection::Postgres(_) => true,
    }
}

/// Whether the other end closed the connection, as far as can be told without a question to it.
pub(crate) fn is_closed(conn: &mut DbConnection) -> bool {
    match conn {
        DbConnection::Sqlite(_) => false,
        DbConnection::Postgres(conn) => postgres::drain_notifications(conn).is_err(),
    }
}

/// The server process of a connection; none for a file.
pub(crate) fn backend(conn: &mut DbConnection) -> QueryResult<Option<ServerBackend>> {
    match conn {
        DbConnection::Sqlite(_) => Ok(None),
        DbConnection::Postgres(conn) => postgres::backend(conn).map(Some),
    }
}

/// Ends the server process of a connection that was lost; returns whether it is gone, so that its transaction is
/// committed or undone for good.
pub(crate) fn terminate_backend(conn: &mut DbConnection, old: &ServerBackend) -> QueryResult<bool> {
    match conn {
        DbConnection::Sqlite(_) => Ok(true),
        DbConnection::Postgres(conn) => postgres::terminate_backend(conn, old),
    }
}

/// What is wrong with the database; nothing when it is sound.
pub(crate) fn check(conn: &mut DbConnection) -> QueryResult<Vec<String>> {
    match conn {
        DbConnection::Sqlite(conn) => sqlite::check(conn),
        DbConnection::Postgres(conn) => postgres::check(conn),
    }
}

/// Lifts the limits on how long a transaction may take, until it ends.
pub(crate) fn lift_limits(conn: &mut DbConnection) -> QueryResult<()> {
    match conn {
        DbConnection::Sqlite(_) => Ok(()),
        DbConnection::Postgres(conn) => postgres::lift_limits(conn),
    }
}

/// A table whose next number is taken already.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SequenceLag {
    /// The table.
    pub table: String,
    /// The number that the database would give next.
    pub next: i64,
    /// The greatest number in the table.
    pub greatest: i64,
}

/// The tables whose next number is taken already. A file of SQLite looks at its rows before it gives a number.
pub(crate) fn lagging_sequences(conn: &mut DbConnection) -> QueryResult<Vec<SequenceLag>> {
    match conn {
        DbConnection::Sqlite(_) => Ok(Vec::new()),
        DbConnection::Postgres(conn) => postgres::lagging_sequences(conn),
    }
}

/// Lets such tables go on after their greatest number; returns them as they were.
pub(crate) fn repair_sequences(conn: &mut DbConnection) -> QueryResult<Vec<SequenceLag>> {
    match conn {
        DbConnection::Sqlite(_) => Ok(Vec::new()),
        DbConnection::Postgres(conn) => postgres::repair_sequences(conn),
    }
}

/// What a server says of its replicas; `None` of a file.
pub(crate) fn replication(conn: &mut DbConnection) -> QueryResult<Option<ReplicationStatus>> {
    match conn {
        DbConnection::Sqlite(_) => Ok(None),
        DbConnection::Postgres(conn) => postgres::replication(conn).map(Some),
    }
}

/// Begins a transaction that writes very much, and whose rows may refer to rows that come later in it.
pub(crate) fn begin_copy(conn: &mut DbConnection) -> QueryResult<()> {
    match conn {
        DbConnection::Sqlite(conn) => sqlite::begin_copy(conn),
        DbConnection::Postgres(conn) => postgres::begin_copy(conn),
    }
}

/// The number and the machine of a process, as far as they can be told.
pub(crate) type ProcessIdentity = (Option<u32>, Option<String>);

/// The process that has the owner's lock of a server; `None` when no process has it. The lock of a file is beside it.
pub(crate) fn lock_holder(conn: &mut DbConnection) -> Result<Option<ProcessIdentity>, DbError> {
    match conn {
        DbConnection::Sqlite(_) => Ok(None),
        DbConnection::Postgres(conn) => Ok(postgres::owner(conn)?),
    }
}

/// The last number that the database gave to a row of the table, or that it must not give again; 0 when it gave
/// none.
pub(crate) fn last_number(conn: &mut DbConnection, table: &str, key: &str) -> QueryResult<i64> {
    match conn {
        DbConnection::Sqlite(conn) => sqlite::last_number(conn, table, key),
        DbConnection::Postgres(conn) => postgres::last_number(conn, table, key),
    }
}

/// Lets the database give the numbers after `last` to new rows of the table.
pub(crate) fn set_last_number(conn: &mut DbConnection, table: &str, key: &str, last: i64) -> QueryResult<()> {
    match conn {
        DbConnection::Sqlite(conn) => sqlite::set_last_number(conn, table, last),
        DbConnection::Postgres(conn) => postgres::set_last_number(conn, table, key, last),
    }
}
