//! Queries on `owner`, which has one row once a process has owned the database.

use diesel::prelude::*;
use entracte_application::ports::{OwnerDescription, OwnershipRecord};
use entracte_domain::time::Timestamp;

use crate::column_numbers::{from_column, to_column};
use crate::connection::DbConnection;
use crate::db_error::DbError;
use crate::schema::owner;

/// Id of the only row.
const ROW: i64 = 1;

/// The holder of a database that only worker processes have used.
const WORKERS: &str = "worker processes";

/// The columns that change with each owner.
#[derive(Insertable, AsChangeset)]
#[diesel(table_name = owner, treat_none_as_null = true, treat_none_as_default_value = false)]
struct OwnerRowValues<'a> {
    holder: &'a str,
    since: i64,
    kind: &'a str,
    host: Option<&'a str>,
    pid: Option<i64>,
    url: Option<&'a str>,
    wanted_by: Option<&'a str>,
    timeline: Option<&'a str>,
}

/// Begins the next epoch for this process.
pub(crate) fn begin_epoch(
    conn: &mut DbConnection,
    kind: &OwnerDescription,
    pid: u32,
    since: Timestamp,
    timeline: Option<&str>,
) -> Result<u64, DbError> {
    let holder = format!("process {pid}");
    let new = OwnerRowValues {
        holder: &holder,
        since: since.0,
        kind: &kind.kind,
        host: kind.host.as_deref(),
        pid: Some(pid.into()),
        url: kind.url.as_deref(),
        wanted_by: None,
        timeline,
    };
    let next = diesel::update(owner::table.find(ROW)).set((owner::epoch.eq(owner::epoch + 1), &new));
    let epoch = match next.returning(owner::epoch).get_result(conn).optional()? {
        Some(epoch) => epoch,
        None => diesel::insert_into(owner::table)
            .values((owner::id.eq(ROW), owner::epoch.eq(1), &new))
            .returning(owner::epoch)
            .get_result(conn)?,
    };
    read(epoch)
}

/// Begins the next epoch for a worker process, which acquires a workspace with the epoch `stored` under it. The last
/// owner's description stays.
pub(crate) fn begin_worker_epoch(conn: &mut DbConnection, stored: u64) -> Result<u64, DbError> {
    let next = diesel::update(owner::table.find(ROW)).set(owner::epoch.eq(owner::epoch + 1));
    let next = match next.returning(owner::epoch).get_result(conn).optional()? {
        Some(epoch) => read(epoch)?,
        None => insert_first(conn)?,
    };
    if next > stored {
        return Ok(next);
    }
    // A program without ownership wrote the workspace under an epoch of its own.
    let epoch = to_column(stored.saturating_add(1))?;
    diesel::update(owner::table.find(ROW)).set(owner::epoch.eq(epoch)).execute(conn)?;
    read(epoch)
}

/// Inserts the row unless a process has owned the database.
pub(crate) fn insert_if_absent(conn: &mut DbConnection) -> Result<(), DbError> {
    match latest(conn)? {
        Some(_) => Ok(()),
        None => insert_first(conn).map(drop),
    }
}

/// Inserts the row of a database that no process has owned yet.
fn insert_first(conn: &mut DbConnection) -> Result<u64, DbError> {
    let epoch = diesel::insert_into(owner::table)
        .values((
            owner::id.eq(ROW),
            owner::epoch.eq(1_i64),
            owner::holder.eq(WORKERS),
            owner::since.eq(0_i64),
        ))
        .returning(owner::epoch)
        .get_result(conn)?;
    read(epoch)
}

/// The number of worker processes that have left or were removed.
pub(crate) fn departures(conn: &mut DbConnection) -> Result<u64, DbError> {
    let query = owner::table.find(ROW).select(owner::departures);
    let number = query.get_result::<i64>(conn).optional()?.unwrap_or_default();
    from_column(number, || "owner, departures".to_owned())
}

/// Adds to the number of worker processes that have left or were removed.
pub(crate) fn add_departures(conn: &mut DbConnection, count: i64) -> Result<(), DbError> {
    let row = diesel::update(owner::table.find(ROW));
    row.set(owner::departures.eq(owner::departures + count)).execute(conn)?;
    Ok(())
}

/// A stored row.
#[derive(Queryable, Selectable)]
#[diesel(table_name = owner)]
struct StoredOwner {
    epoch: i64,
    since: i64,
    kind: String,
    host: Option<String>,
    pid: Option<i64>,
    url: Option<String>,
    wanted_by: Option<String>,
}

/// The last owner of the database.
pub(crate) fn holder(conn: &mut DbConnection) -> Result<Option<OwnershipRecord>, DbError> {
    let query = owner::table.find(ROW).select(StoredOwner::as_select());
    let Some(row) = query.get_result(conn).optional()? else { return Ok(None) };
    Ok(Some(OwnershipRecord {
        epoch: read(row.epoch)?,
        kind: OwnerDescription { kind: row.kind, host: row.host, url: row.url },
        pid: row.pid.and_then(|pid| u32::try_from(pid).ok()),
        since: Timestamp(row.since),
        wanted_by: row.wanted_by,
    }))
}

/// The server's timeline when the database was last owned; `None` if unknown.
pub(crate) fn timeline(conn: &mut DbConnection) -> Result<Option<String>, DbError> {
    Ok(owner::table.find(ROW).select(owner::timeline).get_result(conn).optional()?.flatten())
}

/// Asks the last owner to release the database.
pub(crate) fn request_release(conn: &mut DbConnection, by: &str) -> Result<(), DbError> {
    diesel::update(owner::table.find(ROW)).set(owner::wanted_by.eq(Some(by))).execute(conn)?;
    Ok(())
}

/// The latest epoch and its holder; `None` if no process ever owned the database.
pub(crate) fn latest(conn: &mut DbConnection) -> Result<Option<(u64, String)>, DbError> {
    let query = owner::table.find(ROW).select((owner::epoch, owner::holder));
    match query.get_result::<(i64, String)>(conn).optional()? {
        Some((epoch, holder)) => Ok(Some((read(epoch)?, holder))),
        None => Ok(None),
    }
}

/// Writes the row unchanged.
pub(crate) fn touch(conn: &mut DbConnection) -> Result<(), DbError> {
    diesel::update(owner::table.find(ROW)).set(owner::epoch.eq(owner::epoch)).execute(conn)?;
    Ok(())
}

/// Deletes the row: the target of a copy continues from the copied epochs.
pub(crate) fn delete_owner(conn: &mut DbConnection) -> QueryResult<usize> {
    diesel::delete(owner::table).execute(conn)
}

fn read(epoch: i64) -> Result<u64, DbError> {
    from_column(epoch, || "owner, epoch".to_owned())
}
