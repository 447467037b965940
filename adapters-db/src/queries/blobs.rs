//! Queries on `blobs`: bytes kept once by their hash, never changed.

use diesel::prelude::*;
use entracte_application::ports::Blob;
use entracte_domain::id::Digest;

use crate::connection::DbConnection;
use crate::dialect;
use crate::fault::Fault;
use crate::schema::blobs;

/// Keeps the bytes; those already kept stay as they are.
pub(crate) fn keep(conn: &mut DbConnection, blob: &Blob) -> Result<(), Fault> {
    dialect::keep_blob(conn, blob.digest.as_str(), &blob.bytes)?;
    Ok(())
}

/// The bytes of a hash.
pub(crate) fn find(conn: &mut DbConnection, digest: &Digest) -> Result<Option<Vec<u8>>, Fault> {
    let query = blobs::table.filter(blobs::digest.eq(digest.as_str())).select(blobs::bytes);
    Ok(query.get_result(conn).optional()?)
}
