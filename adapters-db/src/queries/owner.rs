//! Queries on `owner`, which has one row once a process owned the database.

use diesel::prelude::*;
use entracte_domain::time::Timestamp;

use crate::connection::DbConnection;
use crate::db_error::DbError;
use crate::numbers::from_column;
use crate::schema::owner;

/// The one row.
const ROW: i64 = 1;

/// The next epoch begins, and is this holder's.
pub(crate) fn begin_epoch(conn: &mut DbConnection, holder: &str, since: Timestamp) -> Result<u64, DbError> {
    let next = diesel::update(owner::table.find(ROW))
        .set((owner::epoch.eq(owner::epoch + 1), owner::holder.eq(holder), owner::since.eq(since.0)))
        .returning(owner::epoch);
    let epoch = match next.get_result(conn).optional()? {
        Some(epoch) => epoch,
        None => diesel::insert_into(owner::table)
            .values((
                owner::id.eq(ROW),
                owner::epoch.eq(1),
                owner::holder.eq(holder),
                owner::since.eq(since.0),
            ))
            .returning(owner::epoch)
            .get_result(conn)?,
    };
    read(epoch)
}

/// The latest epoch, and whose it is; none when no process ever owned the database.
pub(crate) fn latest(conn: &mut DbConnection) -> Result<Option<(u64, String)>, DbError> {
    let query = owner::table.find(ROW).select((owner::epoch, owner::holder));
    match query.get_result::<(i64, String)>(conn).optional()? {
        Some((epoch, holder)) => Ok(Some((read(epoch)?, holder))),
        None => Ok(None),
    }
}

/// Writes the row as it is.
pub(crate) fn touch(conn: &mut DbConnection) -> Result<(), DbError> {
    diesel::update(owner::table.find(ROW)).set(owner::epoch.eq(owner::epoch)).execute(conn)?;
    Ok(())
}

/// Forgets it: the database takes on the epochs of the one that is copied into it.
pub(crate) fn forget(conn: &mut DbConnection) -> QueryResult<usize> {
    diesel::delete(owner::table).execute(conn)
}

fn read(epoch: i64) -> Result<u64, DbError> {
    from_column(epoch, || "owner, epoch".to_owned())
}
