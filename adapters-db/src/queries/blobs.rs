//! Queries on `blobs`: bytes kept once by their hash, never changed.

use diesel::prelude::*;
use entracte_application::ports::ContentBlob;
use entracte_domain::id::{Digest, SessionId, WorkspaceKey};

use crate::connection::DbConnection;
use crate::db_error::DbError;
use crate::dialect;
use crate::schema::blobs;

/// Keeps the bytes; those already kept stay as they are.
pub(crate) fn insert_blob(conn: &mut DbConnection, blob: &ContentBlob) -> Result<(), DbError> {
    dialect::insert_blob_if_absent(conn, blob.digest.as_str(), &blob.bytes)?;
    Ok(())
}

/// The bytes of a hash that an entry of this session names.
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
