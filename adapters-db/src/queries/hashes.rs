//! Queries on `hashes`: immutable hashes, stored once with a number each.

use diesel::prelude::*;

use crate::connection::DbConnection;
use crate::db_error::DbError;
use crate::dialect;
use crate::schema::hashes;

/// The bytes of a SHA-256 hash.
pub(crate) type HashBytes = [u8; 32];

/// Stores a hash unless it is stored already.
pub(crate) fn insert_hash(conn: &mut DbConnection, hash: &HashBytes) -> Result<(), DbError> {
    dialect::insert_hash_if_absent(conn, hash)?;
    Ok(())
}

/// The numbers of those hashes that are stored.
pub(crate) fn numbers(
    conn: &mut DbConnection,
    wanted: &[HashBytes],
) -> Result<Vec<(i64, HashBytes)>, DbError> {
    let wanted: Vec<&[u8]> = wanted.iter().map(<[u8; 32]>::as_slice).collect();
    let query = hashes::table.filter(hashes::hash.eq_any(wanted)).select((hashes::hash_id, hashes::hash));
    query.load(conn)?.into_iter().map(|(number, hash)| row(number, hash)).collect()
}

/// The hashes with these numbers, if stored.
pub(crate) fn list_by_numbers(
    conn: &mut DbConnection,
    wanted: &[i64],
) -> Result<Vec<(i64, HashBytes)>, DbError> {
    let query = hashes::table.filter(hashes::hash_id.eq_any(wanted)).select((hashes::hash_id, hashes::hash));
    query.load(conn)?.into_iter().map(|(number, hash)| row(number, hash)).collect()
}

fn row(number: i64, hash: Vec<u8>) -> Result<(i64, HashBytes), DbError> {
    let hash = hash.try_into().map_err(|hash: Vec<u8>| {
        DbError::Damaged(format!("hashes, {number}: {} bytes are not a hash", hash.len()))
    })?;
    Ok((number, hash))
}
