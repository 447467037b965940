//! Lists what waits for a person in sessions that were stored before such lists were kept, when a database is opened. Each
//! group of sessions is one transaction, so an interrupted listing continues where it was.

use entracte_application::codec::decode_snapshot;
use entracte_application::ports::InboxRow;

use crate::connection::DbConnection;
use crate::cost_count::in_transaction;
use crate::db_error::DbError;
use crate::dialect;
use crate::opening_progress::{OpeningCallback, OpeningStep};
use crate::queries::inbox_items;
use crate::queries::session_rows::SessionIdentity;

/// Sessions of one transaction.
const GROUP: i64 = 200;

/// Lists the inbox items of every session that is marked as unread since its migration.
pub(crate) fn list_unread(conn: &mut DbConnection, tell: OpeningCallback<'_>) -> Result<(), DbError> {
    let total = inbox_items::count_unread(conn)?.unsigned_abs();
    let mut done = 0;
    while done < total {
        tell(OpeningStep::ListsInbox { done, total });
        let mut read = 0;
        in_transaction(conn, |conn| {
            for session in inbox_items::unread(conn, GROUP)? {
                list_session(conn, &session)?;
                read += 1;
            }
            Ok(())
        })?;
        // Another process may have read the rest.
        if read == 0 {
            return Ok(());
        }
        done += read;
    }
    Ok(())
}

fn list_session(conn: &mut DbConnection, session: &SessionIdentity) -> Result<(), DbError> {
    let key = session.key();
    // A commit of this workspace waits, so that none changes the session meanwhile. One that came before has listed it.
    dialect::lock_workspace(conn, key.workspace_id)?;
    let Some(body) = inbox_items::unread_body(conn, session.session_id)? else { return Ok(()) };
    match decode_snapshot(&body) {
        Ok(snapshot) => {
            let rows = InboxRow::of_session(&snapshot.facts, &snapshot.phase);
            inbox_items::replace(conn, key, &rows)
        }
        Err(fault) => {
            tracing::warn!(session = session.id, %fault, "what waits in a session cannot be listed");
            inbox_items::mark_unreadable(conn, session.session_id)
        }
    }
}

#[cfg(test)]
mod tests {
    use diesel::connection::SimpleConnection;
    use entracte_application::codec::encode_snapshot;
    use entracte_application::ports::InboxRowKind;
    use entracte_domain::session::{ParkReason, Phase, SessionFacts};
    use entracte_domain::time::Timestamp;

    use super::*;
    use crate::connection::ConnectionRole;
    use crate::tests::{begun, open, place};
    use crate::writer::WriteJob;

    /// What the migration leaves of the sessions that wait.
    const AS_MIGRATED: &str = "DELETE FROM inbox_items;
        INSERT INTO inbox_items (session_id, item, workspace_id, kind, asked_at)
        SELECT session_id, '', workspace_id, 'unread', last_activity FROM sessions WHERE rank = 0";

    fn as_migrated(conn: &mut DbConnection) {
        let DbConnection::Sqlite(conn) = conn else { panic!("a file is of SQLite") };
        conn.batch_execute(AS_MIGRATED).expect("it is written");
    }

    /// Input: a parked session that is marked as unread, with and without a commit that writes its items before the listing
    /// reads it; expected: the items of the commit stay, and without them the listing writes those of the body.
    #[test]
    fn listing_leaves_what_a_commit_has_listed() {
        let (_directory, path) = place();
        let mut conn = open(&path).connect(ConnectionRole::Writer).expect("it opens");
        let mut commit = begun("a");
        let row = &mut commit.sessions[0].0;
        let facts = SessionFacts::new(row.id.clone(), row.workspace.clone(), row.kind, Timestamp(5));
        let parked = Phase::Parked(ParkReason::Interrupted);
        row.waiting = true;
        row.body = encode_snapshot(&facts, &parked).expect("it is encoded");
        commit.run(&mut conn).expect("it is written");
        let key = &commit.workspace.key;

        as_migrated(&mut conn);
        assert_eq!(inbox_items::rows(&mut conn, key).expect("they are read"), None);
        let unread = inbox_items::unread(&mut conn, GROUP).expect("it is read").remove(0);
        let question = InboxRow {
            item: InboxRowKind::Question.item_id(facts.id.as_str()),
            kind: InboxRowKind::Question,
            ..InboxRow::of_session(&facts, &parked).remove(0)
        };
        inbox_items::replace(&mut conn, unread.key(), [&question]).expect("it is written");
        list_session(&mut conn, &unread).expect("it is left");
        assert_eq!(inbox_items::rows(&mut conn, key).expect("they are read"), Some(vec![question]));

        as_migrated(&mut conn);
        list_unread(&mut conn, &|_| {}).expect("it is listed");
        let listed = inbox_items::rows(&mut conn, key).expect("they are read");
        assert_eq!(listed, Some(InboxRow::of_session(&facts, &parked)));
    }
}
