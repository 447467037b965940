//! Queries on `changes`: workspace changes outside of sessions.

use diesel::prelude::*;
use entracte_application::ports::{BuiltinChangeKind, ChangeKind, ResourceChangeRow};
use entracte_domain::id::WorkspaceKey;

use crate::column_numbers::{from_column, to_column};
use crate::column_words::not_a_word;
use crate::connection::DbConnection;
use crate::db_error::DbError;
use crate::schema::changes;

/// Inserts a change and deletes all but the `keep` latest of its workspace; 0 keeps all. The latest deleted one stays
/// as a mark that there were earlier ones.
pub(crate) fn insert_change(
    conn: &mut DbConnection,
    workspace_id: i64,
    row: &ResourceChangeRow,
    keep: u32,
) -> Result<(), DbError> {
    diesel::insert_into(changes::table)
        .values((
            changes::workspace_id.eq(workspace_id),
            changes::seq.eq(to_column(row.seq)?),
            changes::kind.eq(row.kind.word()),
            changes::id.eq(&row.id),
            changes::revision.eq(row.revision.map(to_column).transpose()?),
            changes::gone.eq(row.gone),
        ))
        .execute(conn)?;
    if keep == 0 {
        return Ok(());
    }
    let beyond = changes::table
        .filter(changes::workspace_id.eq(workspace_id))
        .order(changes::seq.desc())
        .limit(1)
        .offset(i64::from(keep))
        .select(changes::seq);
    let Some(last) = beyond.get_result::<i64>(conn).optional()? else { return Ok(()) };
    let here = changes::workspace_id.eq(workspace_id);
    diesel::delete(changes::table.filter(here).filter(changes::seq.lt(last))).execute(conn)?;
    let mark = (
        changes::kind.eq(BuiltinChangeKind::Pruned.word()),
        changes::id.eq(""),
        changes::revision.eq(None::<i64>),
        changes::gone.eq(false),
    );
    diesel::update(changes::table.filter(here).filter(changes::seq.eq(last))).set(mark).execute(conn)?;
    Ok(())
}

/// The changes of a workspace after a number, in order, at most `limit`.
pub(crate) fn after(
    conn: &mut DbConnection,
    workspace: &WorkspaceKey,
    after: u64,
    limit: u32,
) -> Result<Vec<ResourceChangeRow>, DbError> {
    let Some(workspace_id) = super::workspaces::number(conn, workspace)? else { return Ok(Vec::new()) };
    let query = changes::table
        .filter(changes::workspace_id.eq(workspace_id))
        .filter(changes::seq.gt(to_column(after)?))
        .order(changes::seq)
        .limit(i64::from(limit))
        .select((changes::seq, changes::kind, changes::id, changes::revision, changes::gone));
    let rows: Vec<(i64, String, String, Option<i64>, bool)> = query.load(conn)?;
    let row = |(seq, kind, id, revision, gone): (i64, String, String, Option<i64>, bool)| {
        let place = || format!("changes of {workspace}, seq {seq}");
        let kind = ChangeKind::from_word(&kind)
            .ok_or_else(|| not_a_word(&kind, "ChangeKind", || format!("{}, kind", place())))?;
        let revision = revision.map(|revision| from_column(revision, place)).transpose()?;
        Ok(ResourceChangeRow { seq: from_column(seq, place)?, kind, id, revision, gone })
    };
    rows.into_iter().map(row).collect()
}
