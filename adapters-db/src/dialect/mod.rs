//! The differences between the databases. Each function here only selects the dialect of the connection; another kind
//! of database means one more file, and one more match arm each. A dialect that is left out of the build has no file and
//! no arm.

mod call;
mod commit_group;
mod cost;
mod name_index;
#[cfg(feature = "postgres")]
pub(crate) mod postgres;
mod search;
mod server;
mod session;
#[cfg(feature = "sqlite")]
pub(crate) mod sqlite;
mod workspace;

use std::collections::BTreeMap;

use diesel::QueryResult;
use diesel::connection::SimpleConnection;
use entracte_application::ports::{ChunkQuery, ReclaimedSpace};
use entracte_domain::time::Timestamp;

use crate::connection::{DbConnection, built_in};
use crate::db_error::DbError;
pub(crate) use call::{CallChangeset, CallRowValues};
pub(crate) use commit_group::{ColumnArray, CommitGroupStatement, UnnestRows};
pub(crate) use cost::{
    FIRST_PERSON, HOLD_COLUMNS, HOLD_SUMS, REPLY_CHANGES, RESERVED, UNCERTAIN, USAGE_COLUMNS,
};
pub(crate) use name_index::{NameIndexSql, name_index_query, name_index_sql};
pub(crate) use search::ChunkIndexHit;
pub use server::{ReplicaStatus, ReplicationStatus};
pub(crate) use server::{ServerBackend, ServerTimeline};
pub(crate) use session::{
    IdleSessionColumns, SessionChangeset, SessionIndexColumns, SessionRowValues, SessionRowVersion,
};
pub(crate) use workspace::{WorkspaceChangeset, WorkspaceRowVersion};

/// Begins the transaction of a group with the write lock taken at once: a transaction that reads first may fail to get
/// the lock later.
pub(crate) fn begin(conn: &mut DbConnection) -> QueryResult<()> {
    built_in!(match conn {
        DbConnection::Sqlite(conn) => sqlite::begin(conn),
        DbConnection::Postgres(conn) => postgres::begin(conn),
    })
}

/// Commits the transaction of a group.
pub(crate) fn commit(conn: &mut DbConnection) -> QueryResult<()> {
    built_in!(match conn {
        DbConnection::Sqlite(conn) => sqlite::commit(conn),
        DbConnection::Postgres(conn) => conn.batch_execute("COMMIT"),
    })
}

/// Undoes the transaction of a group.
pub(crate) fn roll_back(conn: &mut DbConnection) -> QueryResult<()> {
    built_in!(match conn {
        DbConnection::Sqlite(conn) => sqlite::roll_back(conn),
        DbConnection::Postgres(conn) => conn.batch_execute("ROLLBACK"),
    })
}

/// The column `name` with the letters of ASCII in lower case and all others as they are, whatever language the server
/// speaks.
pub(crate) fn ascii_lower_name(conn: &DbConnection) -> &'static str {
    built_in!(match conn {
        DbConnection::Sqlite(_) => "lower(name)",
        DbConnection::Postgres(_) => "lower(name COLLATE \"C\")",
    })
}

/// A text that [`ascii_lower_name`] is compared with: in lower case, and without the character NUL, which a server refuses
/// in a statement. A name with that character, which only SQLite stores, is [beyond ASCII](NAME_BEYOND_ASCII).
pub(crate) fn lower_text(text: &str) -> String {
    text.to_lowercase().replace('\0', "")
}

/// The condition that the column `name` has other characters than those of ASCII without NUL.
pub(crate) const NAME_BEYOND_ASCII: &str = "octet_length(name) <> length(name)";

/// Whether repeating a whole group is cheaper than a savepoint per job: true for SQLite, where savepoints copy pages
/// and there are no network round trips.
pub(crate) fn prefers_group_retry(conn: &DbConnection) -> bool {
    built_in!(match conn {
        DbConnection::Sqlite(_) => true,
        DbConnection::Postgres(_) => false,
    })
}

/// Begins a savepoint, so that the following statements can be undone separately.
pub(crate) fn begin_savepoint(conn: &mut DbConnection) -> QueryResult<()> {
    built_in!(match conn {
        DbConnection::Sqlite(conn) => sqlite::begin_savepoint(conn),
        DbConnection::Postgres(conn) => conn.batch_execute("SAVEPOINT work"),
    })
}

/// Releases the savepoint of [`begin_savepoint`]; its statements become part of the transaction.
pub(crate) fn release_savepoint(conn: &mut DbConnection) -> QueryResult<()> {
    built_in!(match conn {
        DbConnection::Sqlite(conn) => sqlite::release_savepoint(conn),
        DbConnection::Postgres(conn) => conn.batch_execute("RELEASE work"),
    })
}

/// Undoes all statements since [`begin_savepoint`].
pub(crate) fn roll_back_savepoint(conn: &mut DbConnection) -> QueryResult<()> {
    built_in!(match conn {
        DbConnection::Sqlite(conn) => sqlite::roll_back_savepoint(conn),
        DbConnection::Postgres(conn) => conn.batch_execute("ROLLBACK TO work; RELEASE work"),
    })
}

/// Begins a read transaction that sees the committed state of its first query throughout.
pub(crate) fn begin_snapshot(conn: &mut DbConnection) -> QueryResult<()> {
    built_in!(match conn {
        DbConnection::Sqlite(conn) => sqlite::begin_snapshot(conn),
        DbConnection::Postgres(conn) => postgres::begin_snapshot(conn),
    })
}

/// Runs several queries on one state of the database.
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

/// Whether a statement may name the index to use.
pub(crate) fn takes_index_hints(conn: &DbConnection) -> bool {
    built_in!(match conn {
        DbConnection::Sqlite(_) => true,
        DbConnection::Postgres(_) => false,
    })
}

/// Updates the statistics of tables that have changed much, from a sample. A server does this by itself.
pub(crate) fn optimize(conn: &mut DbConnection) -> QueryResult<()> {
    built_in!(match conn {
        DbConnection::Sqlite(conn) => sqlite::optimize(conn),
        DbConnection::Postgres(_) => Ok(()),
    })
}

/// The function that gives the place of a second text in a first one, from 1, or 0 where it does not contain it.
pub(crate) fn position_function(conn: &DbConnection) -> &'static str {
    built_in!(match conn {
        DbConnection::Sqlite(_) => "instr",
        DbConnection::Postgres(_) => "strpos",
    })
}

/// Locks the row of a workspace until the transaction ends. A write transaction of SQLite is alone anyway.
pub(crate) fn lock_workspace(conn: &mut DbConnection, workspace_id: i64) -> QueryResult<()> {
    built_in!(match conn {
        DbConnection::Sqlite(_) => Ok(()),
        DbConnection::Postgres(conn) => postgres::lock_workspace(conn, workspace_id),
    })
}

/// Why a document's row is locked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DocumentLock {
    /// A read of it is noted: it must not go meanwhile.
    Note,
    /// It is removed: no read of it may be noted meanwhile.
    Removal,
}

/// Locks the row of a document until the transaction ends; returns whether it is still there. A write transaction of
/// SQLite is alone anyway.
pub(crate) fn lock_document(
    conn: &mut DbConnection,
    document_id: i64,
    lock: DocumentLock,
) -> QueryResult<bool> {
    built_in!(match conn {
        DbConnection::Sqlite(_) => Ok(true),
        DbConnection::Postgres(conn) => postgres::lock_document(conn, document_id, lock),
    })
}

/// Updates the workspace row of this version unless it has a later epoch; returns its number, `None` if the row has
/// another version.
pub(crate) fn update_workspace(
    conn: &mut DbConnection,
    was: WorkspaceRowVersion<'_>,
    state: WorkspaceChangeset<'_>,
) -> QueryResult<Option<i64>> {
    built_in!(match conn {
        DbConnection::Sqlite(conn) => sqlite::update_workspace(conn, was, state),
        DbConnection::Postgres(conn) => postgres::update_workspace(conn, was, state),
    })
}

/// Updates the session row of this version; returns its number, `None` if the row has another version.
pub(crate) fn update_session(
    conn: &mut DbConnection,
    key: SessionRowVersion<'_>,
    state: &SessionRowValues<'_>,
) -> QueryResult<Option<i64>> {
    built_in!(match conn {
        DbConnection::Sqlite(conn) => sqlite::update_session(conn, key, state),
        DbConnection::Postgres(conn) => postgres::update_session(conn, key, state),
    })
}

/// The columns that find resting sessions.
pub(crate) fn idle_session_columns(conn: &DbConnection) -> IdleSessionColumns {
    built_in!(match conn {
        DbConnection::Sqlite(_) => sqlite::RESTED,
        DbConnection::Postgres(_) => postgres::RESTED,
    })
}

/// Inserts or updates a call; returns the number of rows, 0 if another call has its key. `is_new`: the row most likely
/// does not exist yet.
pub(crate) fn upsert_call(
    conn: &mut DbConnection,
    call: &CallRowValues<'_>,
    is_new: bool,
) -> QueryResult<usize> {
    built_in!(match conn {
        DbConnection::Sqlite(conn) => sqlite::upsert_call(conn, call, is_new),
        DbConnection::Postgres(conn) => postgres::upsert_call(conn, call),
    })
}

/// Whether [`write_commit_group`] is worthwhile: true for a server, where every statement is a round trip.
pub(crate) fn supports_group_statement(conn: &DbConnection) -> bool {
    built_in!(match conn {
        DbConnection::Sqlite(_) => false,
        DbConnection::Postgres(_) => true,
    })
}

/// Writes the commits of working sessions in one statement, outside of any transaction: all of them, or none if a row
/// has another version than expected. Returns whether they were written. After an error from the server they were not;
/// after any other error that is unknown.
pub(crate) fn write_commit_group(
    conn: &mut DbConnection,
    work: CommitGroupStatement<'_>,
) -> QueryResult<bool> {
    built_in!(match conn {
        DbConnection::Sqlite(_) => Ok(false),
        DbConnection::Postgres(conn) => postgres::commit_group_statement::write_commit_group(conn, work),
    })
}

/// Stores bytes by their hash unless they are stored already.
pub(crate) fn insert_blob_if_absent(
    conn: &mut DbConnection,
    digest: &str,
    bytes: &[u8],
) -> QueryResult<usize> {
    built_in!(match conn {
        DbConnection::Sqlite(conn) => sqlite::insert_blob_if_absent(conn, digest, bytes),
        DbConnection::Postgres(conn) => postgres::insert_blob_if_absent(conn, digest, bytes),
    })
}

/// Stores a hash unless it is stored already.
pub(crate) fn insert_hash_if_absent(conn: &mut DbConnection, hash: &[u8]) -> QueryResult<usize> {
    built_in!(match conn {
        DbConnection::Sqlite(conn) => sqlite::insert_hash_if_absent(conn, hash),
        DbConnection::Postgres(conn) => postgres::insert_hash_if_absent(conn, hash),
    })
}

/// Matching chunks of a library, at most `limit`: the best by the database's own ranking, in no particular order.
pub(crate) fn matching_chunks(
    conn: &mut DbConnection,
    library: i64,
    wanted: &ChunkQuery,
    limit: u32,
) -> QueryResult<Vec<ChunkIndexHit>> {
    built_in!(match conn {
        DbConnection::Sqlite(conn) => sqlite::search::matching_chunks(conn, library, wanted, limit),
        DbConnection::Postgres(conn) => postgres::search::matching_chunks(conn, library, wanted, limit),
    })
}

/// Adds to the chunk count of each term; a count may become 0.
pub(crate) fn count_terms(
    conn: &mut DbConnection,
    library: i64,
    counts: &BTreeMap<String, i64>,
) -> QueryResult<()> {
    built_in!(match conn {
        DbConnection::Sqlite(conn) => sqlite::search::count_terms(conn, library, counts),
        DbConnection::Postgres(conn) => postgres::search::count_terms(conn, library, counts),
    })
}

/// The last change version that a connection saw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MailChangeVersion {
    seen: i64,
}

/// Subscribes a connection to changes of mail.
pub(crate) fn watch_mail(conn: &mut DbConnection) -> QueryResult<()> {
    built_in!(match conn {
        DbConnection::Sqlite(_) => Ok(()),
        DbConnection::Postgres(conn) => postgres::watch_mail(conn),
    })
}

/// A version that differs from `old` if mail may have changed.
pub(crate) fn mail_change_version(
    conn: &mut DbConnection,
    old: Option<MailChangeVersion>,
) -> QueryResult<MailChangeVersion> {
    let seen = built_in!(match conn {
        DbConnection::Sqlite(conn) => sqlite::data_version(conn)?,
        DbConnection::Postgres(conn) => {
            let notices = i64::try_from(postgres::drain_notifications(conn)?).unwrap_or(i64::MAX);
            old.map_or(0, |old| old.seen).wrapping_add(notices)
        }
    });
    Ok(MailChangeVersion { seen })
}

/// Whether the server may disconnect while this process runs.
pub(crate) fn can_disconnect(conn: &DbConnection) -> bool {
    built_in!(match conn {
        DbConnection::Sqlite(_) => false,
        DbConnection::Postgres(_) => true,
    })
}

/// Whether the server closed the connection, if that is known without a request.
pub(crate) fn is_closed(conn: &mut DbConnection) -> bool {
    built_in!(match conn {
        DbConnection::Sqlite(_) => false,
        DbConnection::Postgres(conn) => postgres::drain_notifications(conn).is_err(),
    })
}

/// The server process of a connection; `None` for a file.
pub(crate) fn backend(conn: &mut DbConnection) -> QueryResult<Option<ServerBackend>> {
    built_in!(match conn {
        DbConnection::Sqlite(_) => Ok(None),
        DbConnection::Postgres(conn) => postgres::backend(conn).map(Some),
    })
}

/// Terminates the server process of a lost connection; returns whether it has ended, so that its transaction is finally
/// committed or undone.
pub(crate) fn terminate_backend(conn: &mut DbConnection, old: &ServerBackend) -> QueryResult<bool> {
    built_in!(match conn {
        DbConnection::Sqlite(_) => Ok(true),
        DbConnection::Postgres(conn) => postgres::terminate_backend(conn, old),
    })
}

/// Faults of the database; empty if it is sound.
pub(crate) fn check(conn: &mut DbConnection) -> QueryResult<Vec<String>> {
    built_in!(match conn {
        DbConnection::Sqlite(conn) => sqlite::check(conn),
        DbConnection::Postgres(conn) => postgres::check(conn),
    })
}

/// Bytes of the database.
pub(crate) fn size(conn: &mut DbConnection) -> QueryResult<i64> {
    built_in!(match conn {
        DbConnection::Sqlite(conn) => sqlite::size(conn),
        DbConnection::Postgres(conn) => postgres::size(conn),
    })
}

/// Gives a part of the space of deleted rows back to the file system. A server reuses it by itself.
pub(crate) fn reclaim_part(conn: &mut DbConnection) -> QueryResult<ReclaimedSpace> {
    built_in!(match conn {
        DbConnection::Sqlite(conn) => sqlite::reclaim_part(conn),
        DbConnection::Postgres(_) => Ok(ReclaimedSpace::default()),
    })
}

/// Gives all the space of deleted rows back: a file becomes smaller, a server reuses the space for later rows. A file that
/// would have to be written anew stays as it is while another process works in it.
pub(crate) fn reclaim_everything(
    conn: &mut DbConnection,
    is_owned_by_other: bool,
) -> QueryResult<ReclaimedSpace> {
    built_in!(match conn {
        DbConnection::Sqlite(conn) => sqlite::reclaim_everything(conn, is_owned_by_other),
        DbConnection::Postgres(conn) => postgres::reclaim_everything(conn),
    })
}

/// Faults of a large database that are found without comparing its rows with each other.
pub(crate) fn check_sample(conn: &mut DbConnection) -> QueryResult<Vec<String>> {
    built_in!(match conn {
        DbConnection::Sqlite(conn) => sqlite::check_sample(conn),
        DbConnection::Postgres(conn) => postgres::check_sample(conn),
    })
}

/// Removes the time limits of the current transaction.
pub(crate) fn lift_limits(conn: &mut DbConnection) -> QueryResult<()> {
    built_in!(match conn {
        DbConnection::Sqlite(_) => Ok(()),
        DbConnection::Postgres(conn) => postgres::lift_limits(conn),
    })
}

/// A table whose next generated number already exists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SequenceLag {
    /// Name of the table.
    pub table: String,
    /// The number that the database would generate next.
    pub next: i64,
    /// The greatest number in the table.
    pub greatest: i64,
}

/// Tables whose next generated number already exists. Never the case in SQLite, which looks at the rows first.
pub(crate) fn lagging_sequences(conn: &mut DbConnection) -> QueryResult<Vec<SequenceLag>> {
    built_in!(match conn {
        DbConnection::Sqlite(_) => Ok(Vec::new()),
        DbConnection::Postgres(conn) => postgres::lagging_sequences(conn),
    })
}

/// Advances such sequences past the greatest number; returns their previous state.
pub(crate) fn repair_sequences(conn: &mut DbConnection) -> QueryResult<Vec<SequenceLag>> {
    built_in!(match conn {
        DbConnection::Sqlite(_) => Ok(Vec::new()),
        DbConnection::Postgres(conn) => postgres::repair_sequences(conn),
    })
}

/// Replication status of the server; `None` for a file.
pub(crate) fn replication(conn: &mut DbConnection) -> QueryResult<Option<ReplicationStatus>> {
    built_in!(match conn {
        DbConnection::Sqlite(_) => Ok(None),
        DbConnection::Postgres(conn) => postgres::replication(conn).map(Some),
    })
}

/// Begins a large write transaction in which rows may refer to rows that are written later.
pub(crate) fn begin_copy(conn: &mut DbConnection) -> QueryResult<()> {
    built_in!(match conn {
        DbConnection::Sqlite(conn) => sqlite::begin_copy(conn),
        DbConnection::Postgres(conn) => postgres::begin_copy(conn),
    })
}

/// The time of the server; `now`, the time of this process, in a file.
pub(crate) fn clock(conn: &mut DbConnection, now: Timestamp) -> QueryResult<Timestamp> {
    let of_server = built_in!(match conn {
        DbConnection::Sqlite(_) => None,
        DbConnection::Postgres(conn) => Some(postgres::clock(conn)?),
    });
    Ok(of_server.unwrap_or(now))
}

/// Process id and host of a process, as far as known.
pub(crate) type ProcessIdentity = (Option<u32>, Option<String>);

/// The process that holds the ownership lock of a server; `None` if no process does. SQLite's lock is a file beside the
/// database.
pub(crate) fn lock_holder(conn: &mut DbConnection) -> Result<Option<ProcessIdentity>, DbError> {
    built_in!(match conn {
        DbConnection::Sqlite(_) => Ok(None),
        DbConnection::Postgres(conn) => Ok(postgres::owner(conn)?),
    })
}

/// The worker process of a server that entered first, if its lease has not ended. Those of a file are not looked for:
/// one process owns it.
pub(crate) fn worker_process(conn: &mut DbConnection) -> QueryResult<Option<ProcessIdentity>> {
    built_in!(match conn {
        DbConnection::Sqlite(_) => Ok(None),
        DbConnection::Postgres(conn) => postgres::worker_process(conn),
    })
}

/// The last number that the database generated for the table, or must not generate again; 0 if there is none.
pub(crate) fn last_number(conn: &mut DbConnection, table: &str, key: &str) -> QueryResult<i64> {
    built_in!(match conn {
        DbConnection::Sqlite(conn) => sqlite::last_number(conn, table, key),
        DbConnection::Postgres(conn) => postgres::last_number(conn, table, key),
    })
}

/// Lets the database continue with the numbers after `last` for new rows.
pub(crate) fn set_last_number(conn: &mut DbConnection, table: &str, key: &str, last: i64) -> QueryResult<()> {
    built_in!(match conn {
        DbConnection::Sqlite(conn) => sqlite::set_last_number(conn, table, last),
        DbConnection::Postgres(conn) => postgres::set_last_number(conn, table, key, last),
    })
}
