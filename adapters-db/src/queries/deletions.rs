//! Queries on `deletions`: records of deleted sessions.

use diesel::prelude::*;
use entracte_application::ports::DeletionRow;
use entracte_domain::id::{SessionId, WorkspaceKey};
use entracte_domain::time::Timestamp;

use crate::connection::DbConnection;
use crate::db_error::DbError;
use crate::schema::deletions;

/// Inserts a record and deletes all but the `keep` latest of its workspace; 0 keeps all. Records of the retention policy
/// and those of people are counted by themselves: a policy that deletes much pushes out no person's.
pub(crate) fn insert_deletion(
    conn: &mut DbConnection,
    workspace_id: i64,
    row: &DeletionRow,
    keep: u32,
) -> Result<(), DbError> {
    diesel::insert_into(deletions::table)
        .values((
            deletions::workspace_id.eq(workspace_id),
            deletions::session.eq(row.session.as_str()),
            deletions::at.eq(row.at.0),
            deletions::author.eq(&row.author),
            deletions::body.eq(&row.body),
        ))
        .execute(conn)?;
    if keep == 0 {
        return Ok(());
    }
    let is_alike = || deletions::author.eq(DeletionRow::POLICY_AUTHOR).eq(row.is_by_policy());
    let beyond = deletions::table
        .filter(deletions::workspace_id.eq(workspace_id))
        .filter(is_alike())
        .order(deletions::deletion_id.desc())
        .limit(1)
        .offset(i64::from(keep))
        .select(deletions::deletion_id);
    if let Some(last) = beyond.get_result::<i64>(conn).optional()? {
        let old = deletions::table
            .filter(deletions::workspace_id.eq(workspace_id))
            .filter(deletions::deletion_id.le(last))
            .filter(is_alike());
        diesel::delete(old).execute(conn)?;
    }
    Ok(())
}

/// The records of a workspace, latest first, at most `limit`.
pub(crate) fn latest(
    conn: &mut DbConnection,
    workspace: &WorkspaceKey,
    limit: u32,
) -> Result<Vec<DeletionRow>, DbError> {
    let Some(workspace_id) = super::workspaces::number(conn, workspace)? else { return Ok(Vec::new()) };
    let query = deletions::table
        .filter(deletions::workspace_id.eq(workspace_id))
        .order(deletions::deletion_id.desc())
        .limit(i64::from(limit))
        .select((deletions::session, deletions::at, deletions::author, deletions::body));
    let rows: Vec<(String, i64, String, Vec<u8>)> = query.load(conn)?;
    let row = |(session, at, author, body): (String, i64, String, Vec<u8>)| DeletionRow {
        session: SessionId::new(session),
        at: Timestamp(at),
        author,
        body,
    };
    Ok(rows.into_iter().map(row).collect())
}
