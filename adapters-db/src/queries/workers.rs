//! Queries on `workers`: the processes that handle workspaces at the same time. A row that exists is valid, also after
//! its lease, until another process deletes it.

use diesel::dsl::min;
use diesel::prelude::*;
use entracte_application::ports::{
    OwnerDescription, WorkerProcessDescription, WorkerProcessId, WorkerProcessRecord,
};
use entracte_domain::time::Timestamp;

use crate::column_numbers::from_column;
use crate::connection::DbConnection;
use crate::db_error::DbError;
use crate::schema::workers;

/// The columns of a new row.
#[derive(Insertable)]
#[diesel(table_name = workers, treat_none_as_default_value = false)]
struct WorkerRowValues<'a> {
    kind: &'a str,
    host: Option<&'a str>,
    pid: Option<i64>,
    url: Option<&'a str>,
    version: &'a str,
    configuration: &'a str,
    since: i64,
    beats: i64,
    until: i64,
}

/// Adds a process whose lease ends at `until`.
pub(crate) fn insert(
    conn: &mut DbConnection,
    process: &WorkerProcessDescription,
    since: Timestamp,
    until: Timestamp,
) -> Result<WorkerProcessId, DbError> {
    let new = WorkerRowValues {
        kind: &process.owner.kind,
        host: process.owner.host.as_deref(),
        pid: process.pid.map(i64::from),
        url: process.owner.url.as_deref(),
        version: &process.version,
        configuration: &process.configuration,
        since: since.0,
        beats: 0,
        until: until.0,
    };
    let insert = diesel::insert_into(workers::table).values(&new);
    Ok(WorkerProcessId(insert.returning(workers::worker_id).get_result(conn)?))
}

/// Moves the end of a process's lease; returns whether its row is there.
pub(crate) fn beat(conn: &mut DbConnection, id: WorkerProcessId, until: Timestamp) -> Result<bool, DbError> {
    let row = diesel::update(workers::table.find(id.0));
    let beat = row.set((workers::beats.eq(workers::beats + 1), workers::until.eq(until.0)));
    Ok(beat.execute(conn)? > 0)
}

/// Locks the row of a process until the transaction ends, so that nobody deletes it meanwhile; returns whether it is
/// there.
pub(crate) fn lock(conn: &mut DbConnection, id: WorkerProcessId) -> Result<bool, DbError> {
    let row = diesel::update(workers::table.find(id.0));
    Ok(row.set(workers::beats.eq(workers::beats)).execute(conn)? > 0)
}

/// Deletes the row of a process; returns the number of rows.
pub(crate) fn delete(conn: &mut DbConnection, id: WorkerProcessId) -> Result<usize, DbError> {
    Ok(diesel::delete(workers::table.find(id.0)).execute(conn)?)
}

/// No process has this number.
const NOBODY: WorkerProcessId = WorkerProcessId(0);

/// Deletes the rows of the processes whose lease has ended, but for the one that looks; returns their number.
pub(crate) fn delete_expired(
    conn: &mut DbConnection,
    looking: Option<WorkerProcessId>,
    now: Timestamp,
) -> Result<usize, DbError> {
    let others = workers::worker_id.ne(looking.unwrap_or(NOBODY).0);
    Ok(diesel::delete(workers::table.filter(workers::until.le(now.0)).filter(others)).execute(conn)?)
}

/// Whether the lease of another process than the one that looks has ended.
pub(crate) fn has_expired(
    conn: &mut DbConnection,
    looking: WorkerProcessId,
    now: Timestamp,
) -> Result<bool, DbError> {
    let others = workers::table.filter(workers::worker_id.ne(looking.0));
    let earliest = others.select(min(workers::until)).first::<Option<i64>>(conn)?;
    Ok(earliest.is_some_and(|until| until <= now.0))
}

/// The process that entered first.
pub(crate) fn first(conn: &mut DbConnection) -> Result<Option<WorkerProcessId>, DbError> {
    let query = workers::table.select(min(workers::worker_id));
    Ok(query.first::<Option<i64>>(conn)?.map(WorkerProcessId))
}

/// A stored row.
#[derive(Queryable, Selectable)]
#[diesel(table_name = workers)]
struct StoredWorker {
    worker_id: i64,
    kind: String,
    host: Option<String>,
    pid: Option<i64>,
    url: Option<String>,
    version: String,
    configuration: String,
    since: i64,
    beats: i64,
}

/// The process with this number.
pub(crate) fn find(
    conn: &mut DbConnection,
    id: WorkerProcessId,
) -> Result<Option<WorkerProcessRecord>, DbError> {
    let query = workers::table.find(id.0).select(StoredWorker::as_select());
    query.get_result(conn).optional()?.map(record).transpose()
}

/// All processes, in the order in which they entered.
pub(crate) fn all(conn: &mut DbConnection) -> Result<Vec<WorkerProcessRecord>, DbError> {
    let query = workers::table.order(workers::worker_id).select(StoredWorker::as_select());
    query.load(conn)?.into_iter().map(record).collect()
}

fn record(row: StoredWorker) -> Result<WorkerProcessRecord, DbError> {
    let beats = from_column(row.beats, || format!("workers, {}, beats", row.worker_id))?;
    Ok(WorkerProcessRecord {
        id: WorkerProcessId(row.worker_id),
        description: WorkerProcessDescription {
            owner: OwnerDescription { kind: row.kind, host: row.host, url: row.url },
            pid: row.pid.and_then(|pid| u32::try_from(pid).ok()),
            version: row.version,
            configuration: row.configuration,
        },
        since: Timestamp(row.since),
        beats,
    })
}
