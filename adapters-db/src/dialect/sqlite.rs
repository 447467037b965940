//! SQLite: opens and configures connections, and runs the statements that the shared query builder does not support.

use std::path::Path;
use std::time::Duration;

use diesel::connection::SimpleConnection;
use diesel::deserialize::QueryableByName;
use diesel::prelude::*;
use diesel::result::{DatabaseErrorKind, Error};
use diesel::sql_query;
use diesel::sql_types::{BigInt, Nullable, Text};
use entracte_application::ports::ReclaimedSpace;
use entracte_domain::time::Millis;

use super::{
    CallRowValues, IdleSessionColumns, SessionRowValues, SessionRowVersion, WorkspaceChangeset,
    WorkspaceRowVersion,
};
use crate::connection::{ConnectError, ConnectionRole};
use crate::prepared_statements::{NamedQuery, StaticStatement, update};
use crate::schema::{blobs, calls, hashes, sessions, workspaces};

pub(super) mod search;

/// Settings of the writer: every commit reaches the disk before it is answered, and what is deleted is overwritten.
const WRITER: &[&str] =
    &["PRAGMA synchronous = FULL", "PRAGMA journal_size_limit = 67108864", "PRAGMA secure_delete = ON"];

/// Lets free pages leave the file a few at a time. It counts for a new file, or with the next VACUUM.
const GIVES_PAGES_BACK: &str = "PRAGMA auto_vacuum = INCREMENTAL";

/// Free pages that leave the file at once while sessions work.
const PAGES_AT_ONCE: i64 = 512;

/// The pause after such a part. SQLite wakes no waiting writer, so one that looks again must find the file free.
const BETWEEN_PARTS: Duration = Duration::from_millis(100);

/// SQLite's name for the files of this system.
const FILE_SYSTEM: &str = if cfg!(windows) { "win32" } else { "unix" };

/// Settings of every connection.
const EVERYONE: &[&str] = &["PRAGMA foreign_keys = ON", "PRAGMA trusted_schema = OFF"];

/// Settings that make a sync reach the disk on macOS; without effect elsewhere.
const MAC: &[&str] = &["PRAGMA fullfsync = ON", "PRAGMA checkpoint_fullfsync = ON"];

/// See [`super::idle_session_columns`]. The partial indexes exclude working sessions by a condition, so plain columns
/// suffice.
pub(crate) const RESTED: IdleSessionColumns =
    IdleSessionColumns { at: "sessions.last_activity", phase: "sessions.phase", wake: "sessions.wake_at" };

/// Opens an existing file for `role` and configures the connection.
pub(crate) fn connect(
    path: &Path,
    role: ConnectionRole,
    busy: Millis,
    max_bytes: u64,
) -> Result<SqliteConnection, ConnectError> {
    configure(open(&uri(path, "rw"))?, role, busy, max_bytes)
}

/// Opens the database of this name in the memory of this process for `role`, and configures the connection.
pub(crate) fn connect_in_memory(
    name: &str,
    role: ConnectionRole,
    busy: Millis,
    max_bytes: u64,
) -> Result<SqliteConnection, ConnectError> {
    // With locks like those of a file. A shared cache has other ones: a reader would fail at once while a table is written.
    configure(open(&format!("file:/{name}?vfs=memdb"))?, role, busy, max_bytes)
}

fn configure(
    mut conn: SqliteConnection,
    role: ConnectionRole,
    busy: Millis,
    max_bytes: u64,
) -> Result<SqliteConnection, ConnectError> {
    set(&mut conn, role, busy).map_err(ConnectError::new)?;
    if role == ConnectionRole::Writer && max_bytes > 0 {
        limit_file_size(&mut conn, max_bytes).map_err(ConnectError::new)?;
    }
    Ok(conn)
}

/// Opens an existing file read-only, without even changing its journal mode. It waits for locks nevertheless: the last
/// process to close the file has it exclusively for a moment, and a dead process may have left a log to recover.
pub(crate) fn open_read_only(path: &Path, busy: Millis) -> Result<SqliteConnection, ConnectError> {
    let mut conn = open(&uri(path, "ro"))?;
    wait_for_locks(&mut conn, busy).map_err(ConnectError::new)?;
    Ok(conn)
}

/// Turns an inspecting connection into a reader.
pub(crate) fn set_reader(conn: &mut SqliteConnection, busy: Millis) -> Result<(), ConnectError> {
    set(conn, ConnectionRole::Reader, busy).map_err(ConnectError::new)
}

fn execute_named<Name: 'static>(
    conn: &mut SqliteConnection,
    name: Name,
    words: &'static str,
) -> QueryResult<()> {
    NamedQuery::new(name, StaticStatement(words)).execute(conn).map(drop)
}

/// See [`super::begin`].
pub(crate) fn begin(conn: &mut SqliteConnection) -> QueryResult<()> {
    struct BeginStatement;
    execute_named(conn, BeginStatement, "BEGIN IMMEDIATE")
}

/// See [`super::commit`].
pub(crate) fn commit(conn: &mut SqliteConnection) -> QueryResult<()> {
    struct CommitStatement;
    execute_named(conn, CommitStatement, "COMMIT")
}

/// See [`super::roll_back`].
pub(crate) fn roll_back(conn: &mut SqliteConnection) -> QueryResult<()> {
    struct RollbackStatement;
    execute_named(conn, RollbackStatement, "ROLLBACK")
}

/// See [`super::begin_savepoint`].
pub(crate) fn begin_savepoint(conn: &mut SqliteConnection) -> QueryResult<()> {
    struct SavepointStatement;
    execute_named(conn, SavepointStatement, "SAVEPOINT work")
}

/// See [`super::release_savepoint`].
pub(crate) fn release_savepoint(conn: &mut SqliteConnection) -> QueryResult<()> {
    struct SavepointRelease;
    execute_named(conn, SavepointRelease, "RELEASE work")
}

/// See [`super::roll_back_savepoint`].
pub(crate) fn roll_back_savepoint(conn: &mut SqliteConnection) -> QueryResult<()> {
    struct SavepointRollback;
    execute_named(conn, SavepointRollback, "ROLLBACK TO work")?;
    release_savepoint(conn)
}

/// See [`super::update_workspace`]. Two statements: RETURNING would build an in-memory table and copy each page before
/// writing it.
pub(crate) fn update_workspace(
    conn: &mut SqliteConnection,
    (key, seq): WorkspaceRowVersion<'_>,
    state: WorkspaceChangeset<'_>,
) -> QueryResult<Option<i64>> {
    struct WorkspaceNumberQuery;
    let number = workspaces::table.filter(workspaces::key.eq(key)).select(workspaces::workspace_id);
    let Some(number) = NamedQuery::new(WorkspaceNumberQuery, number).get_result::<i64>(conn).optional()?
    else {
        return Ok(None);
    };
    let stands = workspaces::workspace_id
        .eq(number)
        .and(workspaces::seq.eq(seq))
        .and(workspaces::epoch.le(state.epoch));
    struct SqliteWorkspaceUpdate;
    let changed =
        NamedQuery::new(SqliteWorkspaceUpdate, update(workspaces::table, stands, state)).execute(conn)?;
    Ok((changed > 0).then_some(number))
}

/// See [`super::update_session`]. An update writes the index pages of every column that it names, even if the value
/// stays the same, so rarely changed columns are named only when they differ. The number is queried separately, as in
/// [`update_workspace`].
pub(crate) fn update_session(
    conn: &mut SqliteConnection,
    (workspace_id, id, sequence): SessionRowVersion<'_>,
    state: &SessionRowValues<'_>,
) -> QueryResult<Option<i64>> {
    struct SessionNumberQuery;
    let stored = sessions::table.filter(sessions::id.eq(id)).select((sessions::session_id, sessions::name));
    let stored = NamedQuery::new(SessionNumberQuery, stored).get_result::<(i64, String)>(conn).optional()?;
    let Some((number, name)) = stored else { return Ok(None) };
    let stands = sessions::session_id
        .eq(number)
        .and(sessions::workspace_id.eq(workspace_id))
        .and(sessions::sequence.eq(sequence));
    let stays = stands
        .and(sessions::placed.eq(state.stays.placed))
        .and(sessions::working.eq(state.stays.working))
        .and(sessions::rank.eq(state.stays.rank));
    struct SessionChangesetUpdate;
    let mut changed =
        NamedQuery::new(SessionChangesetUpdate, update(sessions::table, stays, state.moves)).execute(conn)?;
    if changed == 0 {
        struct SessionFullUpdate;
        let all = update(sessions::table, stands, (state.moves, state.stays));
        changed = NamedQuery::new(SessionFullUpdate, all).execute(conn)?;
    }
    if changed > 0 && name != state.name {
        // Apart, because the trigger of the index of names would cost every round.
        struct SessionNameUpdate;
        let named = update(sessions::table, sessions::session_id.eq(number), sessions::name.eq(state.name));
        NamedQuery::new(SessionNameUpdate, named).execute(conn)?;
    }
    Ok((changed > 0).then_some(number))
}

/// See [`super::upsert_call`]. Two statements, because SQLite compiles an upsert at every run; the likely one is tried
/// first.
pub(crate) fn upsert_call(
    conn: &mut SqliteConnection,
    call: &CallRowValues<'_>,
    is_new: bool,
) -> QueryResult<usize> {
    if !is_new && change_call(conn, call)? > 0 {
        return Ok(1);
    }
    struct CallRowInsert;
    match NamedQuery::new(CallRowInsert, diesel::insert_into(calls::table).values(call)).execute(conn) {
        Err(Error::DatabaseError(DatabaseErrorKind::UniqueViolation, _)) if is_new => change_call(conn, call),
        Err(Error::DatabaseError(DatabaseErrorKind::UniqueViolation, _)) => Ok(0),
        written => written,
    }
}

fn change_call(conn: &mut SqliteConnection, call: &CallRowValues<'_>) -> QueryResult<usize> {
    let stands = calls::session_id
        .eq(call.session_id)
        .and(calls::sequence.eq(call.sequence))
        .and(calls::ordinal.eq(call.ordinal))
        .and(calls::id.eq(call.id))
        .and(calls::workspace_id.eq(call.workspace_id));
    struct SqliteCallUpdate;
    NamedQuery::new(SqliteCallUpdate, update(calls::table, stands, call.moves)).execute(conn)
}

/// See [`super::insert_blob_if_absent`].
pub(crate) fn insert_blob_if_absent(
    conn: &mut SqliteConnection,
    digest: &str,
    bytes: &[u8],
) -> QueryResult<usize> {
    diesel::insert_into(blobs::table)
        .values((blobs::digest.eq(digest), blobs::bytes.eq(bytes), blobs::shared.eq(false)))
        .on_conflict(blobs::digest)
        .do_nothing()
        .execute(conn)
}

/// See [`super::insert_hash_if_absent`].
pub(crate) fn insert_hash_if_absent(conn: &mut SqliteConnection, hash: &[u8]) -> QueryResult<usize> {
    diesel::insert_into(hashes::table)
        .values(hashes::hash.eq(hash))
        .on_conflict(hashes::hash)
        .do_nothing()
        .execute(conn)
}

/// See [`super::begin_snapshot`].
pub(crate) fn begin_snapshot(conn: &mut SqliteConnection) -> QueryResult<()> {
    conn.batch_execute("BEGIN")
}

/// See [`super::begin_copy`].
pub(crate) fn begin_copy(conn: &mut SqliteConnection) -> QueryResult<()> {
    begin(conn)?;
    conn.batch_execute("PRAGMA defer_foreign_keys = ON")
}

/// See [`super::last_number`]. For tables that reuse numbers, the next one follows the greatest existing number.
pub(crate) fn last_number(conn: &mut SqliteConnection, table: &str, key: &str) -> QueryResult<i64> {
    #[derive(QueryableByName)]
    struct SqliteSequenceValueRow {
        #[diesel(sql_type = BigInt)]
        last: i64,
    }
    let sql = format!(
        "SELECT max(coalesce((SELECT seq FROM sqlite_sequence WHERE name = '{table}'), 0),
                    coalesce((SELECT max({key}) FROM {table}), 0)) AS last"
    );
    sql_query(sql).get_result::<SqliteSequenceValueRow>(conn).map(|row| row.last)
}

/// See [`super::set_last_number`]. Only tables that never reuse numbers have a counter to set.
pub(crate) fn set_last_number(conn: &mut SqliteConnection, table: &str, last: i64) -> QueryResult<()> {
    conn.batch_execute(&format!(
        "DELETE FROM sqlite_sequence WHERE name = '{table}';
         INSERT INTO sqlite_sequence (name, seq)
         SELECT '{table}', {last} FROM sqlite_master
         WHERE type = 'table' AND name = '{table}' AND sql LIKE '%AUTOINCREMENT%'"
    ))
}

/// Moves the content of the write-ahead log into the file itself.
pub(crate) fn checkpoint_wal(conn: &mut SqliteConnection) -> QueryResult<()> {
    conn.batch_execute("PRAGMA wal_checkpoint(TRUNCATE)")
}

/// See [`super::optimize`]. Another process that writes is not waited for.
pub(crate) fn optimize(conn: &mut SqliteConnection) -> QueryResult<()> {
    conn.batch_execute("PRAGMA busy_timeout = 0; PRAGMA analysis_limit = 400; PRAGMA optimize")
}

/// A number that stays the same while no other connection commits.
pub(crate) fn data_version(conn: &mut SqliteConnection) -> QueryResult<i64> {
    #[derive(QueryableByName)]
    struct DataVersionRow {
        #[diesel(sql_type = BigInt)]
        data_version: i64,
    }
    sql_query("PRAGMA data_version").get_result::<DataVersionRow>(conn).map(|mark| mark.data_version)
}

/// See [`super::check`].
pub(crate) fn check(conn: &mut SqliteConnection) -> QueryResult<Vec<String>> {
    #[derive(QueryableByName)]
    struct IntegrityCheckRow {
        #[diesel(sql_type = Text)]
        integrity_check: String,
    }
    #[derive(QueryableByName)]
    struct ForeignKeyCheckRow {
        #[diesel(sql_type = Text)]
        table: String,
        #[diesel(sql_type = Nullable<BigInt>)]
        rowid: Option<i64>,
        #[diesel(sql_type = Text)]
        parent: String,
    }
    let rows: Vec<IntegrityCheckRow> = sql_query("PRAGMA integrity_check").load(conn)?;
    let mut faults: Vec<String> =
        rows.into_iter().map(|row| row.integrity_check).filter(|text| text != "ok").collect();
    let orphans: Vec<ForeignKeyCheckRow> = sql_query("PRAGMA foreign_key_check").load(conn)?;
    faults.extend(orphans.into_iter().map(|orphan| {
        let row = orphan.rowid.map(|id| format!(" {id}")).unwrap_or_default();
        format!("row{row} of {} refers to a missing row of {}", orphan.table, orphan.parent)
    }));
    Ok(faults)
}

/// See [`super::size`].
pub(crate) fn size(conn: &mut SqliteConnection) -> QueryResult<i64> {
    #[derive(QueryableByName)]
    struct SqliteSizeRow {
        #[diesel(sql_type = BigInt)]
        size: i64,
    }
    let query = "SELECT page_count * page_size AS size FROM pragma_page_count(), pragma_page_size()";
    sql_query(query).get_result::<SqliteSizeRow>(conn).map(|row| row.size)
}

/// See [`super::reclaim_part`]. A file of an earlier version keeps its free pages for later rows.
pub(crate) fn reclaim_part(conn: &mut SqliteConnection) -> QueryResult<ReclaimedSpace> {
    let before = free_pages(conn)?;
    if before.is_incremental == 0 || before.free == 0 {
        return Ok(ReclaimedSpace::default());
    }
    conn.batch_execute(&format!("PRAGMA incremental_vacuum({PAGES_AT_ONCE})"))?;
    let after = free_pages(conn)?;
    let bytes = (before.free - after.free).max(0).saturating_mul(after.page_size).unsigned_abs();
    Ok(ReclaimedSpace { bytes, is_more: after.free > 0 && bytes > 0 })
}

/// See [`super::reclaim_everything`]. A file of an earlier version is written anew once. Commits wait for that, and
/// those of another process give up.
pub(crate) fn reclaim_everything(
    conn: &mut SqliteConnection,
    is_owned_by_other: bool,
) -> QueryResult<ReclaimedSpace> {
    let before = size(conn)?;
    match (gives_pages_back(conn)?, is_owned_by_other) {
        // Part after part, so that a commit of another process waits for one part only.
        (true, _) => {
            while reclaim_part(conn)?.is_more {
                std::thread::sleep(BETWEEN_PARTS);
            }
        }
        (false, false) => conn.batch_execute("VACUUM")?,
        (false, true) => {
            tracing::warn!("another process works in the database, so its file is not written anew now");
            return Ok(ReclaimedSpace::default());
        }
    }
    conn.batch_execute("PRAGMA wal_checkpoint(TRUNCATE)")?;
    Ok(ReclaimedSpace { bytes: (before - size(conn)?).max(0).unsigned_abs(), is_more: false })
}

/// Pages without content.
#[derive(QueryableByName)]
struct SqliteFreePagesRow {
    #[diesel(sql_type = BigInt)]
    free: i64,
    #[diesel(sql_type = BigInt)]
    page_size: i64,
    /// 1 if they can leave the file without writing it anew.
    #[diesel(sql_type = BigInt)]
    is_incremental: i64,
}

/// Whether free pages can leave the file without writing it anew.
fn gives_pages_back(conn: &mut SqliteConnection) -> QueryResult<bool> {
    free_pages(conn).map(|pages| pages.is_incremental != 0)
}

fn free_pages(conn: &mut SqliteConnection) -> QueryResult<SqliteFreePagesRow> {
    let query = "SELECT freelist_count AS free, page_size, auto_vacuum = 2 AS is_incremental \
                 FROM pragma_freelist_count(), pragma_page_size(), pragma_auto_vacuum()";
    sql_query(query).get_result(conn)
}

/// See [`super::check_sample`]. Reads every page, but compares no index with its table.
pub(crate) fn check_sample(conn: &mut SqliteConnection) -> QueryResult<Vec<String>> {
    #[derive(QueryableByName)]
    struct QuickCheckRow {
        #[diesel(sql_type = Text)]
        quick_check: String,
    }
    let rows: Vec<QuickCheckRow> = sql_query("PRAGMA quick_check").load(conn)?;
    Ok(rows.into_iter().map(|row| row.quick_check).filter(|text| text != "ok").collect())
}

/// Writes a copy of the committed data into the empty file `to`.
pub(crate) fn copy_into(conn: &mut SqliteConnection, to: &Path) -> QueryResult<()> {
    // Otherwise a database in memory would be copied into another one there.
    let file = format!("{}&vfs={FILE_SYSTEM}", uri(to, "rw"));
    sql_query("VACUUM INTO ?").bind::<Text, _>(file).execute(conn)?;
    Ok(())
}

/// The application id in the file header; 0 if it is not set.
pub(crate) fn application_id(conn: &mut SqliteConnection) -> QueryResult<i64> {
    #[derive(QueryableByName)]
    struct ApplicationIdRow {
        #[diesel(sql_type = BigInt)]
        application_id: i64,
    }
    sql_query("PRAGMA application_id").get_result::<ApplicationIdRow>(conn).map(|mark| mark.application_id)
}

/// Names of all tables.
pub(crate) fn tables(conn: &mut SqliteConnection) -> QueryResult<Vec<String>> {
    #[derive(QueryableByName)]
    struct SqliteTableNameRow {
        #[diesel(sql_type = Text)]
        name: String,
    }
    let query = sql_query("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name");
    Ok(query.load::<SqliteTableNameRow>(conn)?.into_iter().map(|table| table.name).collect())
}

fn open(uri: &str) -> Result<SqliteConnection, ConnectError> {
    SqliteConnection::establish(uri).map_err(ConnectError::new)
}

/// Configures a connection. The time-out comes first, because the other settings may already wait for a lock.
fn set(conn: &mut SqliteConnection, role: ConnectionRole, busy: Millis) -> QueryResult<()> {
    wait_for_locks(conn, busy)?;
    if role == ConnectionRole::Writer {
        // A file that gives pages back already is only read: setting this again would write to it, wait for other
        // writers, and fail on a full disk.
        if !gives_pages_back(conn)? {
            conn.batch_execute(GIVES_PAGES_BACK)?;
        }
        enable_wal(conn)?;
        run(conn, WRITER)?;
    }
    run(conn, EVERYONE)?;
    if cfg!(target_os = "macos") {
        run(conn, MAC)?;
    }
    if role == ConnectionRole::Reader {
        conn.batch_execute("PRAGMA query_only = ON")?;
    }
    Ok(())
}

fn wait_for_locks(conn: &mut SqliteConnection, busy: Millis) -> QueryResult<()> {
    conn.batch_execute(&format!("PRAGMA busy_timeout = {}", busy.0.max(0)))
}

/// Limits the file size: larger writes fail as on a full disk. Existing data stays.
fn limit_file_size(conn: &mut SqliteConnection, max_bytes: u64) -> QueryResult<()> {
    #[derive(QueryableByName)]
    struct PageSizeRow {
        #[diesel(sql_type = BigInt)]
        page_size: i64,
    }
    let page = sql_query("PRAGMA page_size").get_result::<PageSizeRow>(conn)?.page_size.max(1).unsigned_abs();
    conn.batch_execute(&format!("PRAGMA max_page_count = {}", (max_bytes / page).max(1)))
}

/// Enables write-ahead logging, so that readers and the writer do not block each other. If the file system does not
/// support it, SQLite keeps its rollback journal, which is as safe.
fn enable_wal(conn: &mut SqliteConnection) -> QueryResult<()> {
    #[derive(QueryableByName)]
    struct JournalModeRow {
        #[diesel(sql_type = Text)]
        journal_mode: String,
    }
    let mode: JournalModeRow = sql_query("PRAGMA journal_mode = WAL").get_result(conn)?;
    // A database in memory has its journal there, too.
    if !matches!(mode.journal_mode.as_str(), "wal" | "memory") {
        tracing::warn!(
            mode = mode.journal_mode,
            "the file system does not support a write-ahead log: readers wait for the writer"
        );
    }
    Ok(())
}

fn run(conn: &mut SqliteConnection, pragmas: &[&str]) -> QueryResult<()> {
    pragmas.iter().try_for_each(|pragma| conn.batch_execute(pragma))
}

/// The file as a URI, because only a URI can forbid the creation of the file. Bytes with a meaning in URIs are escaped.
fn uri(path: &Path, mode: &str) -> String {
    let mut uri = String::from("file:");
    for &byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'_' | b'-' => uri.push(char::from(byte)),
            b'\\' if cfg!(windows) => uri.push('/'),
            other => uri.push_str(&format!("%{other:02x}")),
        }
    }
    format!("{uri}?mode={mode}")
}
