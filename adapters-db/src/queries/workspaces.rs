//! Queries on `workspaces`.

use std::collections::BTreeSet;

use diesel::dsl::max;
use diesel::prelude::*;
use entracte_application::ports::{WorkerProcessId, WorkspaceRow};
use entracte_domain::id::WorkspaceKey;
use entracte_domain::time::Timestamp;
use rustc_hash::FxHashMap;

use crate::column_numbers::{from_column, to_column};
use crate::connection::DbConnection;
use crate::db_error::{DbError, mismatch, to_conflict};
use crate::dialect::{self, WorkspaceChangeset};
use crate::schema::workspaces;

type WorkspaceColumns = (String, i64, Vec<u8>, i64, i64);

/// Inserts the row; returns its number. An existing row with that key is a conflict.
pub(crate) fn insert(conn: &mut DbConnection, row: &WorkspaceRow) -> Result<i64, DbError> {
    diesel::insert_into(workspaces::table)
        .values((
            workspaces::key.eq(row.key.as_str()),
            workspaces::seq.eq(to_column(row.seq)?),
            workspaces::body.eq(&row.body),
            workspaces::created_at.eq(row.created_at.0),
            workspaces::epoch.eq(to_column(row.epoch)?),
        ))
        .returning(workspaces::workspace_id)
        .get_result(conn)
        .map_err(|error| to_conflict(error, || format!("workspace {} (expected none, found one)", row.key)))
}

/// Updates the row with `seq` equal to `expected` and no later epoch; returns its number.
pub(crate) fn update(conn: &mut DbConnection, row: &WorkspaceRow, expected: u64) -> Result<i64, DbError> {
    let state = WorkspaceChangeset {
        seq: to_column(row.seq)?,
        body: &row.body,
        created_at: row.created_at.0,
        epoch: to_column(row.epoch)?,
    };
    match dialect::update_workspace(conn, (row.key.as_str(), to_column(expected)?), state)? {
        Some(number) => Ok(number),
        None => Err(refusal(conn, row, expected)?),
    }
}

/// The worker process in the row of a workspace.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WorkspaceOwnerRow {
    workspace_id: i64,
    /// The epoch of the row.
    pub(crate) epoch: u64,
    /// It may be gone; `None` if no process of several has had the workspace since it was released.
    pub(crate) process: Option<WorkerProcessId>,
}

/// The worker process in the row of a workspace; `None` if there is no row.
pub(crate) fn owner(
    conn: &mut DbConnection,
    key: &WorkspaceKey,
) -> Result<Option<WorkspaceOwnerRow>, DbError> {
    let query = workspaces::table.filter(workspaces::key.eq(key.as_str())).select((
        workspaces::workspace_id,
        workspaces::epoch,
        workspaces::owner_id,
    ));
    let found = query.get_result::<(i64, i64, Option<i64>)>(conn).optional()?;
    let Some((workspace_id, epoch, process)) = found else { return Ok(None) };
    let epoch = from_column(epoch, || format!("workspaces, {key}, epoch"))?;
    Ok(Some(WorkspaceOwnerRow { workspace_id, epoch, process: process.map(WorkerProcessId) }))
}

/// Gives a workspace to a worker process under a new epoch, unless its row has changed; returns whether it has not.
pub(crate) fn set_owner(
    conn: &mut DbConnection,
    seen: WorkspaceOwnerRow,
    process: WorkerProcessId,
    epoch: u64,
) -> Result<bool, DbError> {
    let row = workspaces::table.filter(workspaces::workspace_id.eq(seen.workspace_id));
    let new = (workspaces::owner_id.eq(Some(process.0)), workspaces::epoch.eq(to_column(epoch)?));
    let changed = match seen.process {
        Some(old) => diesel::update(row.filter(workspaces::owner_id.eq(old.0))).set(new).execute(conn)?,
        None => diesel::update(row.filter(workspaces::owner_id.is_null())).set(new).execute(conn)?,
    };
    Ok(changed > 0)
}

/// Whether a worker process has the workspace under this epoch.
pub(crate) fn is_owned_by(
    conn: &mut DbConnection,
    key: &WorkspaceKey,
    process: WorkerProcessId,
    epoch: u64,
) -> Result<bool, DbError> {
    let row = workspaces::table
        .filter(workspaces::key.eq(key.as_str()))
        .filter(workspaces::owner_id.eq(process.0))
        .filter(workspaces::epoch.eq(to_column(epoch)?));
    Ok(row.select(workspaces::workspace_id).get_result::<i64>(conn).optional()?.is_some())
}

/// Removes a worker process from the row of a workspace that it has under this epoch.
pub(crate) fn clear_owner(
    conn: &mut DbConnection,
    key: &WorkspaceKey,
    process: WorkerProcessId,
    epoch: u64,
) -> Result<(), DbError> {
    let row = workspaces::table
        .filter(workspaces::key.eq(key.as_str()))
        .filter(workspaces::owner_id.eq(process.0))
        .filter(workspaces::epoch.eq(to_column(epoch)?));
    diesel::update(row).set(workspaces::owner_id.eq(None::<i64>)).execute(conn)?;
    Ok(())
}

/// The worker processes in the rows of these workspaces.
pub(crate) fn owners(
    conn: &mut DbConnection,
    keys: &[WorkspaceKey],
) -> Result<Vec<(WorkspaceKey, WorkerProcessId)>, DbError> {
    let mut found = Vec::new();
    for some in keys.chunks(AT_ONCE) {
        let names: Vec<&str> = some.iter().map(WorkspaceKey::as_str).collect();
        let query = workspaces::table
            .filter(workspaces::key.eq_any(names))
            .filter(workspaces::owner_id.is_not_null())
            .select((workspaces::key, workspaces::owner_id.assume_not_null()));
        let rows: Vec<(String, i64)> = query.load(conn)?;
        found.extend(rows.into_iter().map(|(key, id)| (WorkspaceKey::new(key), WorkerProcessId(id))));
    }
    Ok(found)
}

/// The database number of a workspace.
pub(crate) fn number(conn: &mut DbConnection, key: &WorkspaceKey) -> Result<Option<i64>, DbError> {
    let query = workspaces::table.filter(workspaces::key.eq(key.as_str())).select(workspaces::workspace_id);
    Ok(query.get_result(conn).optional()?)
}

/// The row of a workspace.
pub(crate) fn find(conn: &mut DbConnection, key: &WorkspaceKey) -> Result<Option<WorkspaceRow>, DbError> {
    let query = workspaces::table.filter(workspaces::key.eq(key.as_str())).select((
        workspaces::key,
        workspaces::seq,
        workspaces::body,
        workspaces::created_at,
        workspaces::epoch,
    ));
    query.get_result::<WorkspaceColumns>(conn).optional()?.map(row).transpose()
}

/// All rows, by key.
pub(crate) fn all(conn: &mut DbConnection) -> Result<Vec<WorkspaceRow>, DbError> {
    let query = workspaces::table.order(workspaces::key).select((
        workspaces::key,
        workspaces::seq,
        workspaces::body,
        workspaces::created_at,
        workspaces::epoch,
    ));
    query.load::<WorkspaceColumns>(conn)?.into_iter().map(row).collect()
}

/// The keys of at least these workspace numbers, which may contain duplicates.
pub(crate) fn keys(
    conn: &mut DbConnection,
    numbers: impl ExactSizeIterator<Item = i64>,
) -> Result<FxHashMap<i64, WorkspaceKey>, DbError> {
    let columns = workspaces::table.select((workspaces::workspace_id, workspaces::key));
    let Some(greatest) =
        workspaces::table.select(max(workspaces::workspace_id)).first::<Option<i64>>(conn)?
    else {
        return Ok(FxHashMap::default());
    };
    let is_share = i64::try_from(numbers.len()).unwrap_or(i64::MAX) >= greatest / SHARE;
    // An index covers all keys and numbers on few pages; each single lookup reads a page.
    let found: Vec<(i64, String)> = if is_share {
        columns.load(conn)?
    } else {
        let wanted: Vec<i64> = numbers.collect::<BTreeSet<_>>().into_iter().collect();
        let mut found = Vec::with_capacity(wanted.len());
        for some in wanted.chunks(AT_ONCE) {
            let of_these = columns.filter(workspaces::workspace_id.eq_any(some));
            found.extend(of_these.load::<(i64, String)>(conn)?);
        }
        found
    };
    Ok(found.into_iter().map(|(number, key)| (number, WorkspaceKey::new(key))).collect())
}

/// All keys are read if there are at most this many per requested one.
const SHARE: i64 = 8;

/// Numbers per query.
const AT_ONCE: usize = 500;

/// The error for a row that differs from the expected one.
fn refusal(conn: &mut DbConnection, row: &WorkspaceRow, expected: u64) -> Result<DbError, DbError> {
    let query = workspaces::table.filter(workspaces::key.eq(row.key.as_str()));
    let found =
        query.select((workspaces::seq, workspaces::epoch)).get_result::<(i64, i64)>(conn).optional()?;
    let (WorkspaceRow { key, epoch: mine, .. }, later) = (row, to_column(row.epoch)?);
    Ok(match found {
        Some((_, epoch)) if epoch > later => {
            DbError::NotOwner(format!("workspace {key} was taken by epoch {epoch}, after epoch {mine}"))
        }
        found => mismatch("workspace", key.as_str(), expected, found.map(|(seq, _)| seq)),
    })
}

fn row((key, seq, body, created_at, epoch): WorkspaceColumns) -> Result<WorkspaceRow, DbError> {
    let seq = from_column(seq, || format!("workspaces, {key}, seq"))?;
    let epoch = from_column(epoch, || format!("workspaces, {key}, epoch"))?;
    Ok(WorkspaceRow { key: WorkspaceKey::new(key), seq, body, created_at: Timestamp(created_at), epoch })
}
