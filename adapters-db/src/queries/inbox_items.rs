//! Queries on `inbox_items`: what waits for a person in sessions.

use std::collections::BTreeMap;

use diesel::prelude::*;
use entracte_application::ports::{InboxRow, InboxRowKind, RemovedCallRow};
use entracte_domain::id::{SessionId, WorkspaceKey};
use entracte_domain::time::Timestamp;

use super::session_rows::{SessionIdentity, SessionRowKey};
use crate::connection::DbConnection;
use crate::db_error::DbError;
use crate::schema::{inbox_items, sessions};

/// The kind of the one row of a session whose body was not read yet, since a version that kept no items.
const UNREAD: &str = "unread";

/// The kind of the one row of a session whose body cannot be read.
const UNREADABLE: &str = "unreadable";

/// Replaces the items of a session, and writes only those that differ. One that is known already waits since then.
pub(crate) fn replace<'r>(
    conn: &mut DbConnection,
    session: SessionRowKey,
    rows: impl IntoIterator<Item = &'r InboxRow>,
) -> Result<(), DbError> {
    type Columns = (String, i64, Option<i64>, Option<String>);
    let stored = inbox_items::table.filter(inbox_items::session_id.eq(session.session_id)).select((
        inbox_items::item,
        (inbox_items::kind, inbox_items::asked_at, inbox_items::due_at, inbox_items::command),
    ));
    let mut stored: BTreeMap<String, Columns> = stored.load::<(String, Columns)>(conn)?.into_iter().collect();
    for row in rows {
        let mut asked_at = row.asked_at.0;
        if let Some((kind, known_at, due_at, command)) = stored.remove(&row.item) {
            if kind == row.kind.word() && due_at == row.due_at.map(|at| at.0) && command == row.command {
                continue;
            }
            asked_at = known_at;
            delete(conn, session.session_id, &row.item)?;
        }
        let columns = (
            inbox_items::session_id.eq(session.session_id),
            inbox_items::item.eq(&row.item),
            inbox_items::workspace_id.eq(session.workspace_id),
            inbox_items::kind.eq(row.kind.word()),
            inbox_items::asked_at.eq(asked_at),
            inbox_items::due_at.eq(row.due_at.map(|at| at.0)),
            inbox_items::command.eq(row.command.as_deref()),
        );
        diesel::insert_into(inbox_items::table).values(columns).execute(conn)?;
    }
    stored.keys().try_for_each(|item| delete(conn, session.session_id, item))
}

fn delete(conn: &mut DbConnection, session_id: i64, item: &str) -> Result<(), DbError> {
    diesel::delete(inbox_items::table.find((session_id, item))).execute(conn)?;
    Ok(())
}

/// Deletes the inbox item of a failed call that the retention policy removes: nothing of the call can be shown any more.
pub(crate) fn delete_of_call(
    conn: &mut DbConnection,
    session_id: i64,
    row: &RemovedCallRow,
) -> Result<(), DbError> {
    let call = row.session.call_id(row.sequence, row.ordinal as usize);
    delete(conn, session_id, &InboxRowKind::Failed.item_id(call.as_str()))
}

/// The items of a workspace, by session and item; `None` if those of a session are not known.
pub(crate) fn rows(
    conn: &mut DbConnection,
    workspace: &WorkspaceKey,
) -> Result<Option<Vec<InboxRow>>, DbError> {
    type Columns = (String, String, String, i64, Option<i64>, Option<String>);
    let Some(workspace_id) = super::workspaces::number(conn, workspace)? else { return Ok(Some(Vec::new())) };
    let query = inbox_items::table
        .inner_join(sessions::table)
        .filter(inbox_items::workspace_id.eq(workspace_id))
        .order((inbox_items::session_id, inbox_items::item))
        .select((
            sessions::id,
            inbox_items::item,
            inbox_items::kind,
            inbox_items::asked_at,
            inbox_items::due_at,
            inbox_items::command,
        ));
    let found: Vec<Columns> = query.load(conn)?;
    let row = |(session, item, kind, asked_at, due_at, command): Columns| {
        Some(InboxRow {
            session: SessionId::new(session),
            item,
            kind: InboxRowKind::from_word(&kind)?,
            asked_at: Timestamp(asked_at),
            due_at: due_at.map(Timestamp),
            command,
        })
    };
    let mut rows: Option<Vec<InboxRow>> = found.into_iter().map(row).collect();
    if let Some(rows) = &mut rows {
        rows.sort_by(|one, other| (&one.session, &one.item).cmp(&(&other.session, &other.item)));
    }
    Ok(rows)
}

/// The sessions whose bodies are to be read for their items, at most `limit`.
pub(crate) fn unread(conn: &mut DbConnection, limit: i64) -> Result<Vec<SessionIdentity>, DbError> {
    let query = inbox_items::table
        .inner_join(sessions::table)
        .filter(inbox_items::kind.eq(UNREAD))
        .order(inbox_items::session_id)
        .limit(limit)
        .select((inbox_items::session_id, inbox_items::workspace_id, sessions::id));
    Ok(query.load(conn)?)
}

/// The body of a session that is still to be read for its items; `None` if it no longer is.
pub(crate) fn unread_body(conn: &mut DbConnection, session_id: i64) -> Result<Option<Vec<u8>>, DbError> {
    let query = inbox_items::table
        .inner_join(sessions::table)
        .filter(inbox_items::session_id.eq(session_id))
        .filter(inbox_items::kind.eq(UNREAD))
        .select(sessions::body);
    Ok(query.get_result(conn).optional()?)
}

/// The number of sessions that [`unread`] lists.
pub(crate) fn count_unread(conn: &mut DbConnection) -> Result<i64, DbError> {
    Ok(inbox_items::table.filter(inbox_items::kind.eq(UNREAD)).count().get_result(conn)?)
}

/// Notes that the body of a session cannot be read.
pub(crate) fn mark_unreadable(conn: &mut DbConnection, session_id: i64) -> Result<(), DbError> {
    let row = inbox_items::table
        .filter(inbox_items::session_id.eq(session_id))
        .filter(inbox_items::kind.eq(UNREAD));
    diesel::update(row).set(inbox_items::kind.eq(UNREADABLE)).execute(conn)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use diesel::dsl::sql;
    use diesel::sql_types::BigInt;
    use entracte_application::ports::WorkspaceCommit;

    use super::*;
    use crate::connection::ConnectionRole;
    use crate::tests::{begun, open, place};
    use crate::writer::WriteJob;

    /// Input: two failed calls in the inbox, of which the retention policy removes one; expected: the inbox has only the item
    /// of the other call.
    #[test]
    fn item_of_a_removed_call_goes() {
        let (_directory, path) = place();
        let mut conn = open(&path).connect(ConnectionRole::Writer).expect("it opens");
        let mut commit = begun("a");
        let session = commit.sessions[0].0.id.clone();
        let failed = |ordinal: usize| InboxRow {
            session: session.clone(),
            item: InboxRowKind::Failed.item_id(session.call_id(1, ordinal).as_str()),
            kind: InboxRowKind::Failed,
            asked_at: Timestamp(5),
            due_at: None,
            command: None,
        };
        commit.sessions[0].0.waiting = true;
        commit.inbox = vec![failed(0), failed(1)];
        commit.run(&mut conn).expect("it is written");

        let mut next = WorkspaceCommit::for_workspace(commit.workspace.clone());
        next.expected_seq = Some(next.workspace.seq);
        next.retention.calls = vec![RemovedCallRow { session: session.clone(), sequence: 1, ordinal: 0 }];
        next.run(&mut conn).expect("it is written");
        let waits = rows(&mut conn, &commit.workspace.key).expect("they are read");
        assert_eq!(waits, Some(vec![failed(1)]));
    }

    /// The number of rows that a connection to a file has written so far.
    fn count_writes(conn: &mut DbConnection) -> i64 {
        let DbConnection::Sqlite(conn) = conn else { panic!("a file is of SQLite") };
        diesel::select(sql::<BigInt>("total_changes()")).get_result(conn).expect("it is counted")
    }

    /// Input: a session with two items whose items are replaced by the same ones, asked later, then by one that is due at
    /// another time alone; expected: nothing is written, then the changed row with its first instant, and the other goes.
    #[test]
    fn unchanged_items_are_not_written() {
        let (_directory, path) = place();
        let mut conn = open(&path).connect(ConnectionRole::Writer).expect("it opens");
        let mut commit = begun("a");
        let session = commit.sessions[0].0.id.clone();
        let item = |kind: InboxRowKind, asked_at: i64, due_at: i64| InboxRow {
            session: session.clone(),
            item: kind.item_id(session.as_str()),
            kind,
            asked_at: Timestamp(asked_at),
            due_at: Some(Timestamp(due_at)),
            command: None,
        };
        commit.sessions[0].0.waiting = true;
        commit.inbox = vec![item(InboxRowKind::Parked, 5, 9), item(InboxRowKind::Question, 5, 9)];
        commit.run(&mut conn).expect("it is written");
        let key = super::super::sessions::numbers(&mut conn, &commit.workspace.key, &session);
        let key = key.expect("it is read").expect("it is there");

        let before = count_writes(&mut conn);
        let same = [item(InboxRowKind::Question, 7, 9), item(InboxRowKind::Parked, 7, 9)];
        replace(&mut conn, key, &same).expect("it is compared");
        assert_eq!(count_writes(&mut conn), before);

        replace(&mut conn, key, [&item(InboxRowKind::Question, 8, 20)]).expect("it is written");
        let waits = rows(&mut conn, &commit.workspace.key).expect("they are read");
        assert_eq!(waits, Some(vec![item(InboxRowKind::Question, 5, 20)]));
    }
}
