//! Queries on `blobs`: immutable bytes, stored once per hash.

use diesel::prelude::*;
use entracte_application::ports::ContentBlob;
use entracte_domain::id::{Digest, SessionId, WorkspaceKey};

use crate::connection::DbConnection;
use crate::db_error::DbError;
use crate::dialect;
use crate::schema::blobs;

/// Stores the bytes unless their hash is stored already.
pub(crate) fn insert_blob(conn: &mut DbConnection, blob: &ContentBlob) -> Result<(), DbError> {
    dialect::insert_blob_if_absent(conn, blob.digest.as_str(), &blob.bytes)?;
    Ok(())
}

/// The bytes of a hash that an entry of this session refers to.
pub(crate) fn find(
    conn: &mut DbConnection,
    workspace: &WorkspaceKey,
    session: &SessionId,
    digest: &Digest,
) -> Result<Option<Vec<u8>>, DbError> {
    if super::sessions::number(conn, workspace, session)?.is_none() {
        return Ok(None);
    }
    let query = blobs::table.filter(blobs::digest.eq(digest.as_str())).select(blobs::bytes);
    Ok(query.get_result(conn).optional()?)
}
