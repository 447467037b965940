//! Postgres: how a connection is opened and set, and the few statements that the shared query builder refuses.

use std::time::Duration;

use diesel::connection::SimpleConnection;
use diesel::deserialize::QueryableByName;
use diesel::prelude::*;
use diesel::query_dsl::methods::FilterDsl;
use diesel::sql_query;
use diesel::sql_types::{BigInt, Binary, Bool, Nullable, Text};
use diesel::upsert::excluded;

use super::{
    CallRowValues, IdleSessionColumns, ProcessIdentity, SessionRowValues, SessionRowVersion,
    WorkspaceChangeset, WorkspaceRowVersion,
};
use crate::connection::{ConnectError, ConnectionRole, ConnectionTimeouts};
use crate::db_error::POOLED;
use crate::location::PostgresUrl;
use crate::opening_progress::retry_for;
use crate::prepared_statements::NamedQuery;
use crate::schema::{calls, owner as owner_row, sessions, workspaces};

pub(super) mod commit_group_statement;
mod integrity_check;
mod pooler_detection;
mod replication;
pub(super) mod search;
mod sequences;

pub(crate) use integrity_check::check;
pub use replication::{ReplicaStatus, ReplicationStatus};
pub(crate) use replication::{ServerTimeline, replication, timeline};
pub(crate) use sequences::{lagging_sequences, repair_sequences};

/// First half of every lock that Entracte takes: “entr”. The second is the schema for owners, and this for migrations.
pub(crate) const LOCK_CLASS: i32 = 0x656e_7472;
const LOCK_SHAPE: i32 = 0;

/// What a commit says before it is answered is on the disk, also where the server's own default is weaker; and a statement that is
/// a transaction of its own is one like those of [`begin`].
const WRITER: &str = "SELECT set_config('synchronous_commit', 'on', false)
    WHERE current_setting('synchronous_commit') = 'off';
    SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL READ COMMITTED, READ WRITE";

/// See [`super::rested`]. Columns that the server fills in, and that are empty while a session works.
pub(crate) const RESTED: IdleSessionColumns = IdleSessionColumns {
    at: "sessions.rested_at",
    phase: "sessions.rested_phase",
    wake: "sessions.rested_wake",
};

/// Opens a connection for `role` and sets it. One that writes or owns is refused where a pooler gives it away between
/// transactions.
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

/// Opens a connection on which nothing is set, and refuses one that a pooler gives away between transactions.
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
        // A process that finds the lock taken reads from this name who holds it.
        ConnectionRole::Owner => &format!("{OWNER}{}", std::process::id()),
    };
    // What is prepared is planned once: whatever the values, one index serves each statement.
    conn.batch_execute(&format!(
        "SET statement_timeout = {statement}; SET lock_timeout = {lock}; SET application_name = '{name}'; \
         SET plan_cache_mode = force_generic_plan"
    ))?;
    match role {
        ConnectionRole::Writer => conn.batch_execute(WRITER),
        // A reader says that it only reads where it begins a transaction: what is set for the session would stay for others
        // where a pooler came in between later.
        ConnectionRole::Reader | ConnectionRole::Owner => Ok(()),
    }
}

const OWNER: &str = "entracte owner ";

/// See [`super::begin`]. Said in full, because a server may have other defaults; stricter isolation would answer a
/// row that another commit changed with a failure in place of a comparison.
pub(crate) fn begin(conn: &mut PgConnection) -> QueryResult<()> {
    conn.batch_execute("BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE")
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

/// See [`super::update_session`]. One statement: what stays is seen by the server, which then writes no index.
pub(crate) fn update_session(
    conn: &mut PgConnection,
    (workspace_id, id, sequence): SessionRowVersion<'_>,
    state: &SessionRowValues<'_>,
) -> QueryResult<Option<i64>> {
    let stands =
        sessions::id.eq(id).and(sessions::workspace_id.eq(workspace_id)).and(sessions::sequence.eq(sequence));
    let old = FilterDsl::filter(sessions::table, stands);
    let update = diesel::update(old).set((state.moves, state.stays)).returning(sessions::session_id);
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
    // What is executed only is prepared at every run.
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
    // Asked first: a row that would be in conflict takes a number all the same.
    let query = "INSERT INTO blobs (digest, bytes) \
                 SELECT $1, $2 WHERE NOT EXISTS (SELECT FROM blobs WHERE digest = $1) \
                 ON CONFLICT (digest) DO NOTHING";
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

/// How many notices came since the last look. Asks nothing of the server: they are read off the socket, which also
/// shows when the server closed it.
pub(crate) fn drain_notifications(conn: &mut PgConnection) -> QueryResult<usize> {
    let mut read = || conn.notifications_iter().try_fold(0, |count, notice| notice.map(|_| count + 1));
    // A server that closes says why first; that is read as nothing, and the end only behind it.
    Ok(read()? + read()?)
}

/// The backend that serves a connection: its process, and when it began, because numbers of processes come again.
#[derive(Clone, Debug, PartialEq, Eq, QueryableByName)]
pub(crate) struct ServerBackend {
    #[diesel(sql_type = BigInt)]
    pid: i64,
    #[diesel(sql_type = Text)]
    since: String,
}

/// The backend of this connection.
pub(crate) fn backend(conn: &mut PgConnection) -> QueryResult<ServerBackend> {
    sql_query("SELECT pid::bigint AS pid, backend_start::text AS since FROM pg_stat_activity WHERE pid = pg_backend_pid()")
        .get_result(conn)
}

/// Ends a backend whose connection was lost, so that its transaction is either there or never will be. Gives
/// whether it is gone.
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
    // It waits for the end, this many milliseconds.
    ask("SELECT count(pg_terminate_backend(pid, 5000)) AS left FROM pg_stat_activity
         WHERE pid = $1 AND backend_start::text = $2")?;
    let left =
        ask("SELECT count(*) AS left FROM pg_stat_activity WHERE pid = $1 AND backend_start::text = $2")?;
    Ok(left == 0)
}

/// Takes the lock of the owner of this schema, on this connection; returns whether it was free.
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

/// Gives the lock back at once; closing the connection does it a moment later.
pub(crate) fn release_owner_lock(conn: &mut PgConnection) -> QueryResult<()> {
    conn.batch_execute("SELECT pg_advisory_unlock_all()")
}

/// The latest epoch; `None` when no process ever owned the database.
pub(crate) fn latest_epoch(conn: &mut PgConnection) -> QueryResult<Option<u64>> {
    let epoch = owner_row::table.find(1_i64).select(owner_row::epoch).get_result::<i64>(conn).optional()?;
    Ok(epoch.and_then(|epoch| u64::try_from(epoch).ok()))
}

/// The process that has the owner's lock, and where it runs, as far as that can be told; `None` when no process has the lock.
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

/// Waits for the lock of those who open this database, until `giving_back` or the end of the connection. Where that takes longer
/// than `patience`, `waits` is told; it may take as long as a migration, whatever the limits of the connection.
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
    // A lock of the session outlives the transaction; the limits that are lifted do not.
    conn.transaction(|conn| {
        lift_limits(conn)?;
        conn.batch_execute(&format!(
            "SET LOCAL lock_timeout = 0; SELECT pg_advisory_lock({LOCK_CLASS}, {LOCK_SHAPE})"
        ))
    })
}

/// Until its end the transaction and each statement in it may take as long as they take, and may wait for the other side of a copy.
pub(crate) fn lift_limits(conn: &mut PgConnection) -> QueryResult<()> {
    conn.batch_execute(&set_limits_off(true))
}

/// The statement that lifts the limits that this server knows: the one of a transaction is new with version 17.
fn set_limits_off(is_local: bool) -> String {
    format!(
        "SELECT set_config(name, '0', {is_local}) FROM pg_settings WHERE name IN
         ('statement_timeout', 'transaction_timeout', 'idle_in_transaction_session_timeout')"
    )
}

/// Gives back what [`acquire_opening_lock`] took.
pub(crate) fn release_opening_lock(conn: &mut PgConnection) -> QueryResult<()> {
    conn.batch_execute(&format!("SELECT pg_advisory_unlock({LOCK_CLASS}, {LOCK_SHAPE})"))
}

/// The schema that tables are made in; none when the search path names none that is there.
pub(crate) fn schema(conn: &mut PgConnection) -> QueryResult<Option<String>> {
    #[derive(QueryableByName)]
    struct PgSchemaNameRow {
        #[diesel(sql_type = Nullable<Text>)]
        name: Option<String>,
    }
    sql_query("SELECT current_schema()::text AS name").get_result::<PgSchemaNameRow>(conn).map(|row| row.name)
}

/// The names of its tables.
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

/// Whether the tables are ours: the first migration says so in a comment on one of them. A dump may leave comments out; then the
/// table of the migrations has the name of the first one.
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

/// The migration that begins every database.
const FIRST_MIGRATION: &str = "20261120000001";

/// See [`super::begin_copy`]. How long it takes depends on how much there is.
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
