//! Queries on `inbox_snoozes` and `inbox_assignments`: what people noted about items of their inbox.

use diesel::prelude::*;
use entracte_application::ports::{AssignmentRow, SnoozeRow, TriageRows};
use entracte_domain::id::{SessionId, WorkspaceKey};
use entracte_domain::time::Timestamp;

use super::session_rows::SessionRowKey;
use crate::connection::DbConnection;
use crate::db_error::DbError;
use crate::schema::{inbox_assignments, inbox_snoozes, sessions};

/// Snoozes an item; replaces the person's earlier snooze of it.
pub(crate) fn put_snooze(
    conn: &mut DbConnection,
    session: SessionRowKey,
    row: &SnoozeRow,
) -> Result<(), DbError> {
    delete_snooze(conn, session.session_id, &row.item, &row.person)?;
    let columns = (
        inbox_snoozes::session_id.eq(session.session_id),
        inbox_snoozes::item.eq(&row.item),
        inbox_snoozes::person.eq(&row.person),
        inbox_snoozes::workspace_id.eq(session.workspace_id),
        inbox_snoozes::version.eq(&row.version),
        inbox_snoozes::until.eq(row.until.0),
        inbox_snoozes::at.eq(row.at.0),
    );
    diesel::insert_into(inbox_snoozes::table).values(columns).execute(conn)?;
    Ok(())
}

/// Deletes a person's snooze of an item, if there is one.
pub(crate) fn delete_snooze(
    conn: &mut DbConnection,
    session_id: i64,
    item: &str,
    person: &str,
) -> Result<(), DbError> {
    let row = inbox_snoozes::table
        .filter(inbox_snoozes::session_id.eq(session_id))
        .filter(inbox_snoozes::item.eq(item))
        .filter(inbox_snoozes::person.eq(person));
    diesel::delete(row).execute(conn)?;
    Ok(())
}

/// Deletes the snoozes of a workspace that have ended.
pub(crate) fn delete_ended(
    conn: &mut DbConnection,
    workspace_id: i64,
    now: Timestamp,
) -> Result<(), DbError> {
    let ended = inbox_snoozes::table
        .filter(inbox_snoozes::workspace_id.eq(workspace_id))
        .filter(inbox_snoozes::until.le(now.0));
    diesel::delete(ended).execute(conn)?;
    Ok(())
}

/// Assigns an item; replaces its earlier assignment.
pub(crate) fn put_assignment(
    conn: &mut DbConnection,
    session: SessionRowKey,
    row: &AssignmentRow,
) -> Result<(), DbError> {
    delete_assignment(conn, session.session_id, &row.item)?;
    let columns = (
        inbox_assignments::session_id.eq(session.session_id),
        inbox_assignments::item.eq(&row.item),
        inbox_assignments::workspace_id.eq(session.workspace_id),
        inbox_assignments::person.eq(&row.person),
        inbox_assignments::author.eq(&row.author),
        inbox_assignments::at.eq(row.at.0),
    );
    diesel::insert_into(inbox_assignments::table).values(columns).execute(conn)?;
    Ok(())
}

/// Deletes the assignment of an item, if there is one.
pub(crate) fn delete_assignment(conn: &mut DbConnection, session_id: i64, item: &str) -> Result<(), DbError> {
    let row = inbox_assignments::table
        .filter(inbox_assignments::session_id.eq(session_id))
        .filter(inbox_assignments::item.eq(item));
    diesel::delete(row).execute(conn)?;
    Ok(())
}

/// What people noted about the items of a workspace, by session, item and person.
pub(crate) fn rows(conn: &mut DbConnection, workspace: &WorkspaceKey) -> Result<TriageRows, DbError> {
    let Some(workspace_id) = super::workspaces::number(conn, workspace)? else {
        return Ok(TriageRows::default());
    };
    Ok(TriageRows { snoozes: snoozes(conn, workspace_id)?, assignments: assignments(conn, workspace_id)? })
}

fn snoozes(conn: &mut DbConnection, workspace_id: i64) -> Result<Vec<SnoozeRow>, DbError> {
    let query = inbox_snoozes::table
        .inner_join(sessions::table)
        .filter(inbox_snoozes::workspace_id.eq(workspace_id))
        .order((sessions::id, inbox_snoozes::item, inbox_snoozes::person))
        .select((
            sessions::id,
            inbox_snoozes::item,
            inbox_snoozes::person,
            inbox_snoozes::version,
            inbox_snoozes::until,
            inbox_snoozes::at,
        ));
    let rows: Vec<(String, String, String, String, i64, i64)> = query.load(conn)?;
    let row =
        |(session, item, person, version, until, at): (String, String, String, String, i64, i64)| SnoozeRow {
            session: SessionId::new(session),
            item,
            person,
            version,
            until: Timestamp(until),
            at: Timestamp(at),
        };
    Ok(rows.into_iter().map(row).collect())
}

fn assignments(conn: &mut DbConnection, workspace_id: i64) -> Result<Vec<AssignmentRow>, DbError> {
    let query = inbox_assignments::table
        .inner_join(sessions::table)
        .filter(inbox_assignments::workspace_id.eq(workspace_id))
        .order((sessions::id, inbox_assignments::item))
        .select((
            sessions::id,
            inbox_assignments::item,
            inbox_assignments::person,
            inbox_assignments::author,
            inbox_assignments::at,
        ));
    let rows: Vec<(String, String, String, String, i64)> = query.load(conn)?;
    let row = |(session, item, person, author, at): (String, String, String, String, i64)| AssignmentRow {
        session: SessionId::new(session),
        item,
        person,
        author,
        at: Timestamp(at),
    };
    Ok(rows.into_iter().map(row).collect())
}
