//! Postgres: opens and configures connections, and runs the statements that the shared query builder does not support.

use std::time::Duration;

use diesel::connection::SimpleConnection;
use diesel::deserialize::QueryableByName;
use diesel::prelude::*;
use diesel::query_dsl::methods::FilterDsl;
use diesel::sql_query;
use diesel::sql_types::{BigInt, Binary, Bool, Nullable, Text};
use diesel::upsert::excluded;
use entracte_domain::time::Timestamp;

use super::{
    CallRowValues, DocumentLock, IdleSessionColumns, ProcessIdentity, ServerBackend, SessionRowValues,
    SessionRowVersion, WorkspaceChangeset, WorkspaceRowVersion,
};
use crate::connection::{ConnectError, ConnectionRole, ConnectionTimeouts};
use crate::db_error::POOLED;
use crate::location::PostgresUrl;
use crate::opening_progress::retry_for;
use crate::prepared_statements::NamedQuery;
use crate::schema::{blobs, calls, owner as owner_row, sessions, workspaces};

pub(super) mod commit_group_statement;
mod integrity_check;
mod pooler_detection;
mod replication;
pub(super) mod search;
mod sequences;
mod space;

pub(crate) use integrity_check::{check, check_sample};
pub(crate) use replication::{replication, timeline};
pub(crate) use sequences::{lagging_sequences, repair_sequences};
pub(crate) use space::{reclaim_everything, size};

/// First half of every advisory lock of Entracte: “entr”. The second is the schema for ownership, and this constant for
/// migrations.
pub(crate) const LOCK_CLASS: i32 = 0x656e_7472;
const LOCK_SHAPE: i32 = 0;

/// Ensures that a commit is on disk before it is answered, even if the server's default is weaker, and that a statement
/// outside of a transaction behaves like those of [`begin`].
const WRITER: &str = "SELECT set_config('synchronous_commit', 'on', false)
    WHERE current_setting('synchronous_commit') = 'off';
    SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL READ COMMITTED, READ WRITE";

/// See [`super::idle_session_columns`]. Generated columns, which are NULL while a session works.
pub(crate) const RESTED: IdleSessionColumns = IdleSessionColumns {
    at: "sessions.rested_at",
    phase: "sessions.rested_phase",
    wake: "sessions.rested_wake",
};

/// Opens and configures a connection for `role`. Connections that write or own are refused behind a pooler that shares
/// them between transactions.
pub(crate) fn connect(
    url: &PostgresUrl,
    role: ConnectionRole,
    timeouts: ConnectionTimeouts,
) -> Result<PgConnection, ConnectError> {
    let failed = |cause: String| ConnectError::new(url.redact_secrets(&cause));
    let mut conn = match role {
        ConnectionRole::Writer | ConnectionRole::Owner => connect_unpooled(url, timeouts)?,
        ConnectionRole::Reader => establish(url, timeouts).map_err(|error| failed(error.to_string()))?,
    };
    set(&mut conn, role, timeouts).map_err(|error| failed(error.to_string()))?;
    Ok(conn)
}

/// Opens an unconfigured connection, and refuses one that a pooler shares between transactions.
pub(crate) fn connect_unpooled(
    url: &PostgresUrl,
    timeouts: ConnectionTimeouts,
) -> Result<PgConnection, ConnectError> {
    let failed = |cause: String| match pooler_detection::is_pooler_message(&cause) {
        true => ConnectError::new(url.redact_secrets(&format!("{POOLED}: {cause}"))),
        false => ConnectError::new(url.redact_secrets(&cause)),
    };
    let mut conn = establish(url, timeouts).map_err(|error| failed(error.to_string()))?;
    match pooler_detection::has_own_process(&mut conn, || establish(url, timeouts)).map_err(failed)? {
        true => Ok(conn),
        false => Err(ConnectError::new(POOLED)),
    }
}

fn establish(url: &PostgresUrl, timeouts: ConnectionTimeouts) -> ConnectionResult<PgConnection> {
    PgConnection::establish(&url.to_connection_string(timeouts.connect))
}

fn set(conn: &mut PgConnection, role: ConnectionRole, timeouts: ConnectionTimeouts) -> QueryResult<()> {
    let (statement, lock) = (timeouts.statement.0.max(0), timeouts.busy.0.max(1));
    let name = match role {
        ConnectionRole::Reader | ConnectionRole::Writer => "entracte",
        // A process that finds the lock taken reads the holder from this name.
        ConnectionRole::Owner => &format!("{OWNER}{}", std::process::id()),
    };
    // Prepared statements are planned once: one index serves each statement, whatever its values.
    conn.batch_execute(&format!(
        "SET statement_timeout = {statement}; SET lock_timeout = {lock}; SET application_name = '{name}'; \
         SET plan_cache_mode = force_generic_plan"
    ))?;
    match role {
        ConnectionRole::Writer => {
            // A process that stopped in the middle of a transaction must not keep its rows from who takes over.
            let idle = timeouts.idle.0.max(0);
            conn.batch_execute(&format!("SET idle_in_transaction_session_timeout = {idle}; {WRITER}"))
        }
        // Readers become read-only per transaction: a session setting would affect other clients if a pooler is added
        // later.
        ConnectionRole::Reader | ConnectionRole::Owner => Ok(()),
    }
}

const OWNER: &str = "entracte owner ";

/// See [`super::begin`]. All modes are explicit, because server defaults may differ; stricter isolation would report a
/// concurrently changed row as a failure instead of a version mismatch.
pub(crate) fn begin(conn: &mut PgConnection) -> QueryResult<()> {
    conn.batch_execute("BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE")
}

/// See [`super::lock_workspace`].
pub(crate) fn lock_workspace(conn: &mut PgConnection, workspace_id: i64) -> QueryResult<()> {
    let query = sql_query("SELECT workspace_id FROM workspaces WHERE workspace_id = $1 FOR UPDATE");
    query.bind::<BigInt, _>(workspace_id).execute(conn).map(drop)
}

/// See [`super::lock_document`]. A note does not wait for a replacement of the document, which leaves its key alone.
pub(crate) fn lock_document(
    conn: &mut PgConnection,
    document_id: i64,
    lock: DocumentLock,
) -> QueryResult<bool> {
    let query = match lock {
        DocumentLock::Note => "SELECT document_id FROM documents WHERE document_id = $1 FOR KEY SHARE",
        DocumentLock::Removal => "SELECT document_id FROM documents WHERE document_id = $1 FOR UPDATE",
    };
    Ok(sql_query(query).bind::<BigInt, _>(document_id).execute(conn)? > 0)
}

/// See [`super::begin_snapshot`].
pub(crate) fn begin_snapshot(conn: &mut PgConnection) -> QueryResult<()> {
    conn.batch_execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
}

/// See [`super::update_workspace`]. One statement, which returns the number.
pub(crate) fn update_workspace(
    conn: &mut PgConnection,
    (key, seq): WorkspaceRowVersion<'_>,
    state: WorkspaceChangeset<'_>,
) -> QueryResult<Option<i64>> {
    let stands = workspaces::key.eq(key).and(workspaces::seq.eq(seq)).and(workspaces::epoch.le(state.epoch));
    let old = FilterDsl::filter(workspaces::table, stands);
    let update = diesel::update(old).set(state).returning(workspaces::workspace_id);
    struct PgWorkspaceUpdate;
    NamedQuery::new(PgWorkspaceUpdate, update).get_result(conn).optional()
}

/// See [`super::update_session`]. One statement: the server detects unchanged columns and then updates no index.
pub(crate) fn update_session(
    conn: &mut PgConnection,
    (workspace_id, id, sequence): SessionRowVersion<'_>,
    state: &SessionRowValues<'_>,
) -> QueryResult<Option<i64>> {
    let stands =
        sessions::id.eq(id).and(sessions::workspace_id.eq(workspace_id)).and(sessions::sequence.eq(sequence));
    let old = FilterDsl::filter(sessions::table, stands);
    let changes = (sessions::name.eq(state.name), state.moves, state.stays);
    let update = diesel::update(old).set(changes).returning(sessions::session_id);
    struct PgSessionUpdate;
    NamedQuery::new(PgSessionUpdate, update).get_result(conn).optional()
}

/// See [`super::upsert_call`].
pub(crate) fn upsert_call(conn: &mut PgConnection, call: &CallRowValues<'_>) -> QueryResult<usize> {
    let upsert = diesel::insert_into(calls::table)
        .values(call)
        .on_conflict((calls::session_id, calls::sequence, calls::ordinal))
        .do_update()
        .set(call.moves);
    let upsert = FilterDsl::filter(upsert, calls::id.eq(excluded(calls::id)));
    struct PgCallUpsert;
    // Diesel would prepare it at every run if it were only executed.
    let written =
        NamedQuery::new(PgCallUpsert, upsert.returning(calls::ordinal)).get_result::<i64>(conn).optional()?;
    Ok(usize::from(written.is_some()))
}

/// See [`super::insert_blob_if_absent`].
pub(crate) fn insert_blob_if_absent(
    conn: &mut PgConnection,
    digest: &str,
    bytes: &[u8],
) -> QueryResult<usize> {
    // Asked first: a conflicting row would consume a number nevertheless, and the bytes of a prefix that most sessions
    // share need not cross the network again.
    let stored = FilterDsl::filter(blobs::table, blobs::digest.eq(digest)).select(blobs::blob_id);
    if stored.get_result::<i64>(conn).optional()?.is_some() {
        return Ok(0);
    }
    let query =
        "INSERT INTO blobs (digest, bytes, shared) VALUES ($1, $2, false) ON CONFLICT (digest) DO NOTHING";
    sql_query(query).bind::<Text, _>(digest).bind::<Binary, _>(bytes).execute(conn)
}

/// See [`super::insert_hash_if_absent`].
pub(crate) fn insert_hash_if_absent(conn: &mut PgConnection, hash: &[u8]) -> QueryResult<usize> {
    let query = "INSERT INTO hashes (hash) SELECT $1 WHERE NOT EXISTS (SELECT FROM hashes WHERE hash = $1) \
                 ON CONFLICT (hash) DO NOTHING";
    sql_query(query).bind::<Binary, _>(hash).execute(conn)
}

/// See [`super::watch_mail`].
pub(crate) fn watch_mail(conn: &mut PgConnection) -> QueryResult<()> {
    conn.batch_execute("LISTEN entracte_mail")
}

/// Number of notifications since the last call. Makes no request: they are read from the socket, which also shows
/// whether the server closed it.
pub(crate) fn drain_notifications(conn: &mut PgConnection) -> QueryResult<usize> {
    let mut read = || conn.notifications_iter().try_fold(0, |count, notice| notice.map(|_| count + 1));
    // A closing server sends the reason first, which reads as nothing; only the next read shows the end.
    Ok(read()? + read()?)
}

/// The server process of this connection.
pub(crate) fn backend(conn: &mut PgConnection) -> QueryResult<ServerBackend> {
    sql_query("SELECT pid::bigint AS pid, backend_start::text AS since FROM pg_stat_activity WHERE pid = pg_backend_pid()")
        .get_result(conn)
}

/// Terminates the server process of a lost connection, so that its transaction is finally committed or undone. Returns
/// whether it has ended.
pub(crate) fn terminate_backend(conn: &mut PgConnection, old: &ServerBackend) -> QueryResult<bool> {
    #[derive(QueryableByName)]
    struct BackendCountRow {
        #[diesel(sql_type = BigInt)]
        left: i64,
    }
    let mut ask = |sql: &str| {
        let query = sql_query(sql).bind::<BigInt, _>(old.pid).bind::<Text, _>(&old.since);
        query.get_result::<BackendCountRow>(conn).map(|row| row.left)
    };
    // Waits this many milliseconds for the end.
    ask("SELECT count(pg_terminate_backend(pid, 5000)) AS left FROM pg_stat_activity
         WHERE pid = $1 AND backend_start::text = $2")?;
    let left =
        ask("SELECT count(*) AS left FROM pg_stat_activity WHERE pid = $1 AND backend_start::text = $2")?;
    Ok(left == 0)
}

/// Tries to take the ownership lock of this schema on this connection; returns whether it was free.
pub(crate) fn try_acquire_owner_lock(conn: &mut PgConnection) -> QueryResult<bool> {
    #[derive(QueryableByName)]
    struct OwnerLockAttemptRow {
        #[diesel(sql_type = Bool)]
        taken: bool,
    }
    let sql = format!(
        "SELECT pg_try_advisory_lock({LOCK_CLASS}, ((current_schema()::regnamespace::oid::bigint % 2147483647) + 1)::int)
         AS taken"
    );
    sql_query(sql).get_result::<OwnerLockAttemptRow>(conn).map(|row| row.taken)
}

/// Releases the lock at once; closing the connection would do so a moment later.
pub(crate) fn release_owner_lock(conn: &mut PgConnection) -> QueryResult<()> {
    conn.batch_execute("SELECT pg_advisory_unlock_all()")
}

/// The latest epoch; `None` if no process ever owned the database.
pub(crate) fn latest_epoch(conn: &mut PgConnection) -> QueryResult<Option<u64>> {
    let epoch = owner_row::table.find(1_i64).select(owner_row::epoch).get_result::<i64>(conn).optional()?;
    Ok(epoch.and_then(|epoch| u64::try_from(epoch).ok()))
}

/// Process and host of the holder of the ownership lock, if known; `None` if no process holds it.
pub(crate) fn owner(conn: &mut PgConnection) -> QueryResult<Option<ProcessIdentity>> {
    #[derive(QueryableByName)]
    struct OwnerLockHolderRow {
        #[diesel(sql_type = Nullable<Text>)]
        application_name: Option<String>,
        #[diesel(sql_type = Nullable<Text>)]
        address: Option<String>,
    }
    let sql = format!(
        "SELECT a.application_name, host(a.client_addr) AS address
         FROM pg_locks l LEFT JOIN pg_stat_activity a USING (pid)
         WHERE l.locktype = 'advisory' AND l.granted AND l.classid = {LOCK_CLASS}
           AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
           AND l.objid = ((current_schema()::regnamespace::oid::bigint % 2147483647) + 1)"
    );
    let holder = sql_query(sql).get_result::<OwnerLockHolderRow>(conn).optional()?;
    let Some(holder) = holder else { return Ok(None) };
    let pid = holder.application_name.as_deref().and_then(|name| name.strip_prefix(OWNER)?.parse().ok());
    Ok(Some((pid, holder.address)))
}

/// Process and host of the worker process that entered first, if its lease has not ended; `None` also in a schema that
/// knows none.
pub(crate) fn worker_process(conn: &mut PgConnection) -> QueryResult<Option<ProcessIdentity>> {
    #[derive(QueryableByName)]
    struct WorkerTableRow {
        #[diesel(sql_type = Bool)]
        is_there: bool,
    }
    #[derive(QueryableByName)]
    struct WorkerProcessRow {
        #[diesel(sql_type = Nullable<BigInt>)]
        pid: Option<i64>,
        #[diesel(sql_type = Nullable<Text>)]
        host: Option<String>,
    }
    let known =
        sql_query("SELECT to_regclass(format('%I.workers', current_schema())) IS NOT NULL AS is_there");
    if !known.get_result::<WorkerTableRow>(conn)?.is_there {
        return Ok(None);
    }
    let now = clock(conn)?;
    let query = sql_query("SELECT pid, host FROM workers WHERE until > $1 ORDER BY worker_id LIMIT 1");
    let found = query.bind::<BigInt, _>(now.0).get_result::<WorkerProcessRow>(conn).optional()?;
    Ok(found.map(|row| (row.pid.and_then(|pid| u32::try_from(pid).ok()), row.host)))
}

/// Waits for the opening lock of this database, until [`release_opening_lock`] or the end of the connection. Calls
/// `waits` once that takes longer than `patience`; it may take as long as a migration, regardless of the connection's
/// limits.
pub(crate) fn acquire_opening_lock(
    conn: &mut PgConnection,
    patience: Duration,
    waits: impl FnOnce(),
) -> QueryResult<()> {
    #[derive(QueryableByName)]
    struct OpeningLockAttemptRow {
        #[diesel(sql_type = Bool)]
        taken: bool,
    }
    let look = format!("SELECT pg_try_advisory_lock({LOCK_CLASS}, {LOCK_SHAPE}) AS taken");
    if retry_for(patience, || {
        sql_query(&look).get_result::<OpeningLockAttemptRow>(conn).map(|turn| turn.taken)
    })? {
        return Ok(());
    }
    waits();
    // A session-level lock outlives the transaction; the lifted limits do not.
    conn.transaction(|conn| {
        lift_limits(conn)?;
        conn.batch_execute(&format!(
            "SET LOCAL lock_timeout = 0; SELECT pg_advisory_lock({LOCK_CLASS}, {LOCK_SHAPE})"
        ))
    })
}

/// Removes the time limits of the current transaction and its statements, including the wait for the other side of a
/// copy.
pub(crate) fn lift_limits(conn: &mut PgConnection) -> QueryResult<()> {
    conn.batch_execute(&set_limits_off(true))
}

/// The statement that lifts the limits this server has: `transaction_timeout` exists since version 17.
fn set_limits_off(is_local: bool) -> String {
    format!(
        "SELECT set_config(name, '0', {is_local}) FROM pg_settings WHERE name IN
         ('statement_timeout', 'transaction_timeout', 'idle_in_transaction_session_timeout')"
    )
}

/// Releases the lock of [`acquire_opening_lock`].
pub(crate) fn release_opening_lock(conn: &mut PgConnection) -> QueryResult<()> {
    conn.batch_execute(&format!("SELECT pg_advisory_unlock({LOCK_CLASS}, {LOCK_SHAPE})"))
}

/// See [`super::clock`].
pub(crate) fn clock(conn: &mut PgConnection) -> QueryResult<Timestamp> {
    #[derive(QueryableByName)]
    struct ServerTimeRow {
        #[diesel(sql_type = BigInt)]
        micros: i64,
    }
    let query = sql_query("SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint AS micros");
    query.get_result::<ServerTimeRow>(conn).map(|row| Timestamp(row.micros))
}

/// The schema in which tables are created; `None` if the search path names no existing one.
pub(crate) fn schema(conn: &mut PgConnection) -> QueryResult<Option<String>> {
    #[derive(QueryableByName)]
    struct PgSchemaNameRow {
        #[diesel(sql_type = Nullable<Text>)]
        name: Option<String>,
    }
    sql_query("SELECT current_schema()::text AS name").get_result::<PgSchemaNameRow>(conn).map(|row| row.name)
}

/// Names of all tables in that schema.
pub(crate) fn tables(conn: &mut PgConnection) -> QueryResult<Vec<String>> {
    #[derive(QueryableByName)]
    struct PgTableNameRow {
        #[diesel(sql_type = Text)]
        name: String,
    }
    let query = sql_query(
        "SELECT tablename::text AS name FROM pg_tables WHERE schemaname = current_schema() ORDER BY 1",
    );
    Ok(query.load::<PgTableNameRow>(conn)?.into_iter().map(|table| table.name).collect())
}

/// Whether the tables belong to Entracte: the first migration marks one of them with a comment. A dump may omit
/// comments; then the migration table contains the name of the first migration.
pub(crate) fn is_entracte_schema(conn: &mut PgConnection) -> QueryResult<bool> {
    #[derive(QueryableByName)]
    struct SchemaOriginRow {
        #[diesel(sql_type = Bool)]
        ours: bool,
    }
    let mut ask = |sql: &str| sql_query(sql).get_result::<SchemaOriginRow>(conn).map(|row| row.ours);
    let has_comment =
        "SELECT coalesce(obj_description(to_regclass(format('%I.workspaces', current_schema())), 'pg_class')
        = 'Entracte', false) AS ours";
    let has_tables = "SELECT count(*) = 2 AS ours FROM pg_tables
        WHERE schemaname = current_schema() AND tablename IN ('workspaces', '__diesel_schema_migrations')";
    let has_migration = format!(
        "SELECT EXISTS (SELECT FROM __diesel_schema_migrations WHERE version = '{FIRST_MIGRATION}') AS ours"
    );
    Ok(ask(has_comment)? || (ask(has_tables)? && ask(&has_migration)?))
}

/// Name of the first migration.
const FIRST_MIGRATION: &str = "20261120000001";

/// See [`super::begin_copy`]. Without time limits, because its duration depends on the amount of data.
pub(crate) fn begin_copy(conn: &mut PgConnection) -> QueryResult<()> {
    begin(conn)?;
    lift_limits(conn)?;
    conn.batch_execute("SET CONSTRAINTS ALL DEFERRED")
}

/// See [`super::last_number`].
pub(crate) fn last_number(conn: &mut PgConnection, table: &str, key: &str) -> QueryResult<i64> {
    #[derive(QueryableByName)]
    struct PgSequenceValueRow {
        #[diesel(sql_type = BigInt)]
        last: i64,
    }
    let sql = format!(
        "SELECT coalesce(pg_sequence_last_value(pg_get_serial_sequence('{table}', '{key}')::regclass), 0) AS last"
    );
    sql_query(sql).get_result::<PgSequenceValueRow>(conn).map(|row| row.last)
}

/// See [`super::set_last_number`].
pub(crate) fn set_last_number(conn: &mut PgConnection, table: &str, key: &str, last: i64) -> QueryResult<()> {
    if last == 0 {
        return Ok(());
    }
    conn.batch_execute(&format!("SELECT setval(pg_get_serial_sequence('{table}', '{key}'), {last})"))
}
