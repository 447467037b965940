//! Lists what waits for a person in sessions that were stored before such lists were kept, when a database is opened. Each
//! group of sessions is one transaction, so an interrupted listing continues where it was.

use entracte_application::codec::decode_snapshot;
use entracte_application::ports::InboxRow;

use crate::connection::DbConnection;
use crate::cost_count::in_transaction;
use crate::db_error::DbError;
use crate::dialect;
use crate::opening_progress::{OpeningCallback, OpeningStep};
use crate::queries::inbox_items::{self, UnreadSession};
use crate::queries::session_rows::SessionRowKey;

/// Sessions of one transaction.
const GROUP: i64 = 200;

/// Lists the items of all sessions that nobody has read yet.
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

fn list_session(conn: &mut DbConnection, session: &UnreadSession) -> Result<(), DbError> {
    let key = SessionRowKey { workspace_id: session.workspace_id, session_id: session.session_id };
    // A commit of this workspace waits, so that none changes the session meanwhile.
    dialect::lock_workspace(conn, key.workspace_id)?;
    match decode_snapshot(&session.body) {
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
