//! Queries on `prefix_uses`: the sessions that name a frozen prefix, which is a blob.

use diesel::prelude::*;
use entracte_domain::id::Digest;

use crate::connection::DbConnection;
use crate::db_error::DbError;
use crate::schema::{blobs, prefix_uses};

/// Notes that a session names a blob, if that is stored.
pub(crate) fn note_use(conn: &mut DbConnection, session_id: i64, digest: &Digest) -> Result<(), DbError> {
    let query = blobs::table.filter(blobs::digest.eq(digest.as_str())).select(blobs::blob_id);
    let Some(blob_id) = query.get_result::<i64>(conn).optional()? else { return Ok(()) };
    let known = prefix_uses::table.find((session_id, blob_id)).select(prefix_uses::blob_id);
    if known.get_result::<i64>(conn).optional()?.is_none() {
        let row = (prefix_uses::session_id.eq(session_id), prefix_uses::blob_id.eq(blob_id));
        diesel::insert_into(prefix_uses::table).values(row).execute(conn)?;
    }
    Ok(())
}

/// The blobs that a session names, as far as it is noted.
pub(crate) fn used_by(conn: &mut DbConnection, session_id: i64) -> Result<Vec<i64>, DbError> {
    let query = prefix_uses::table.filter(prefix_uses::session_id.eq(session_id));
    Ok(query.select(prefix_uses::blob_id).load(conn)?)
}

/// The number of blobs that a session names, as far as it is noted.
pub(crate) fn count_used_by(conn: &mut DbConnection, session_id: i64) -> Result<i64, DbError> {
    Ok(prefix_uses::table.filter(prefix_uses::session_id.eq(session_id)).count().get_result(conn)?)
}

/// Deletes those of these blobs that no session names any more. Shared ones stay: an earlier version stored them and did
/// not note who names them.
pub(crate) fn delete_unused(conn: &mut DbConnection, blob_ids: &[i64]) -> Result<(), DbError> {
    for &blob_id in blob_ids {
        let uses = prefix_uses::table.filter(prefix_uses::blob_id.eq(blob_id)).select(prefix_uses::blob_id);
        if uses.limit(1).get_result::<i64>(conn).optional()?.is_none() {
            let unused = blobs::table.filter(blobs::blob_id.eq(blob_id)).filter(blobs::shared.eq(false));
            diesel::delete(unused).execute(conn)?;
        }
    }
    Ok(())
}
