//! Queries on `workspaces`.

use diesel::prelude::*;
use entracte_application::ports::WorkspaceRow;
use entracte_domain::id::WorkspaceKey;
use entracte_domain::time::Timestamp;

use super::fixed::Fixed;
use crate::connection::DbConnection;
use crate::fault::{Fault, conflict_about, mismatch};
use crate::numbers::{from_column, to_column};
use crate::schema::workspaces;

type Columns = (String, i64, Vec<u8>, i64);

/// Makes the row; gives its number. A row of that key is a conflict.
pub(crate) fn insert(conn: &mut DbConnection, row: &WorkspaceRow) -> Result<i64, Fault> {
    diesel::insert_into(workspaces::table)
        .values((
            workspaces::key.eq(row.key.as_str()),
            workspaces::seq.eq(to_column(row.seq)?),
            workspaces::body.eq(&row.body),
            workspaces::created_at.eq(row.created_at.0),
        ))
        .returning(workspaces::workspace_id)
        .get_result(conn)
        .map_err(|error| {
            conflict_about(error, || format!("workspace {} (expected none, found one)", row.key))
        })
}

/// Puts the row in the place of the one whose `seq` is `expected`; gives its number.
pub(crate) fn update(conn: &mut DbConnection, row: &WorkspaceRow, expected: u64) -> Result<i64, Fault> {
    let old = workspaces::table
        .filter(workspaces::key.eq(row.key.as_str()))
        .filter(workspaces::seq.eq(to_column(expected)?));
    let update = diesel::update(old)
        .set((
            workspaces::seq.eq(to_column(row.seq)?),
            workspaces::body.eq(&row.body),
            workspaces::created_at.eq(row.created_at.0),
        ))
        .returning(workspaces::workspace_id);
    let number = Fixed(update).get_result(conn).optional()?;
    match number {
        Some(number) => Ok(number),
        None => Err(mismatch("workspace", row.key.as_str(), expected, seq(conn, &row.key)?)),
    }
}

/// The number of a workspace inside the database.
pub(crate) fn number(conn: &mut DbConnection, key: &WorkspaceKey) -> Result<Option<i64>, Fault> {
    let query = workspaces::table.filter(workspaces::key.eq(key.as_str())).select(workspaces::workspace_id);
    Ok(query.get_result(conn).optional()?)
}

/// One row.
pub(crate) fn find(conn: &mut DbConnection, key: &WorkspaceKey) -> Result<Option<WorkspaceRow>, Fault> {
    let query = workspaces::table.filter(workspaces::key.eq(key.as_str())).select((
        workspaces::key,
        workspaces::seq,
        workspaces::body,
        workspaces::created_at,
    ));
    query.get_result::<Columns>(conn).optional()?.map(row).transpose()
}

/// All rows, by key.
pub(crate) fn all(conn: &mut DbConnection) -> Result<Vec<WorkspaceRow>, Fault> {
    let query = workspaces::table.order(workspaces::key).select((
        workspaces::key,
        workspaces::seq,
        workspaces::body,
        workspaces::created_at,
    ));
    query.load::<Columns>(conn)?.into_iter().map(row).collect()
}

fn seq(conn: &mut DbConnection, key: &WorkspaceKey) -> Result<Option<i64>, Fault> {
    let query = workspaces::table.filter(workspaces::key.eq(key.as_str())).select(workspaces::seq);
    Ok(query.get_result(conn).optional()?)
}

fn row((key, seq, body, created_at): Columns) -> Result<WorkspaceRow, Fault> {
    let seq = from_column(seq, || format!("workspaces, {key}, seq"))?;
    Ok(WorkspaceRow { key: WorkspaceKey::new(key), seq, body, created_at: Timestamp(created_at) })
}
