//! Queries on `receipts`: stored answers by idempotency key.

use diesel::prelude::*;
use entracte_application::mail::ReceiptKey;
use entracte_application::ports::ReceiptRow;
use entracte_domain::id::{Digest, WorkspaceKey};
use entracte_domain::time::Timestamp;

use crate::connection::DbConnection;
use crate::db_error::{DbError, to_conflict};
use crate::schema::receipts;

/// Inserts a receipt and deletes those of its workspace from before `before`. An existing receipt with that key is a
/// conflict.
pub(crate) fn insert_receipt(
    conn: &mut DbConnection,
    workspace: &WorkspaceKey,
    row: &ReceiptRow,
    before: Timestamp,
) -> Result<(), DbError> {
    let old = receipts::table
        .filter(receipts::workspace.eq(workspace.as_str()))
        .filter(receipts::created_at.lt(before.0));
    diesel::delete(old).execute(conn)?;
    diesel::insert_into(receipts::table)
        .values((
            receipts::workspace.eq(workspace.as_str()),
            receipts::person.eq(&row.key.person),
            receipts::key.eq(&row.key.key),
            receipts::fingerprint.eq(row.fingerprint.as_str()),
            receipts::answer.eq(&row.answer),
            receipts::created_at.eq(row.created_at.0),
        ))
        .execute(conn)
        .map_err(|error| to_conflict(error, || format!("the receipt {}", row.key.key)))?;
    Ok(())
}

/// The receipt with this key.
pub(crate) fn find(
    conn: &mut DbConnection,
    workspace: &WorkspaceKey,
    key: &ReceiptKey,
) -> Result<Option<ReceiptRow>, DbError> {
    let columns = receipts::table
        .find((workspace.as_str(), &key.person, &key.key))
        .select((receipts::fingerprint, receipts::answer, receipts::created_at))
        .get_result::<(String, Vec<u8>, i64)>(conn)
        .optional()?;
    Ok(columns.map(|(fingerprint, answer, created_at)| ReceiptRow {
        key: key.clone(),
        fingerprint: Digest::new(fingerprint),
        answer,
        created_at: Timestamp(created_at),
    }))
}
