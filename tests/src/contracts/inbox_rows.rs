//! Contract of the rows of what waits for a person in sessions, for stores that keep such rows.

use entracte_application::ports::{InboxRow, InboxRowKind, WorkspaceCommit};
use entracte_domain::time::Timestamp;

use super::StoreFixture;
use super::rows::{HOME, begun, input, key, next, session_id};
use super::store::commit;

/// A question in a session, asked at this instant.
fn question(stem: &str, asked_at: i64) -> InboxRow {
    let session = session_id(stem);
    InboxRow {
        item: InboxRowKind::Question.item_id(session.as_str()),
        session,
        kind: InboxRowKind::Question,
        asked_at: Timestamp(asked_at),
        due_at: None,
        command: None,
    }
}

/// An approval of a query in a session, asked for at this instant.
fn approval(stem: &str, asked_at: i64) -> InboxRow {
    InboxRow {
        item: format!("apr_{stem}_1_0"),
        kind: InboxRowKind::Approval,
        due_at: Some(Timestamp(99)),
        command: Some("zones.list".to_owned()),
        ..question(stem, asked_at)
    }
}

/// The next input of the session `a`, in which this waits afterwards; the workspace and the session are at `number`.
fn waiting(number: u64, inbox: Vec<InboxRow>) -> WorkspaceCommit {
    let mut commit = input(HOME, "a", number, number);
    commit.sessions[0].0.waiting = !inbox.is_empty();
    WorkspaceCommit { inbox, ..commit }
}

/// The rows of the home workspace; `None` if the store keeps none.
async fn rows(stores: &StoreFixture) -> Option<Vec<InboxRow>> {
    stores.log.inbox_rows(&key(HOME)).await.expect("they are read")
}

/// Input: a session asks a question, then for an approval beside it, then waits for nobody; expected: the rows follow, and a
/// known item waits since it was first there.
pub async fn inbox_rows_follow_what_waits(stores: StoreFixture) {
    commit(&stores, begun(HOME, "a")).await;
    let Some(none) = rows(&stores).await else { return };
    assert_eq!(none, []);
    commit(&stores, waiting(1, vec![question("a", 5)])).await;
    assert_eq!(rows(&stores).await, Some(vec![question("a", 5)]));
    commit(&stores, waiting(2, vec![question("a", 7), approval("a", 7)])).await;
    assert_eq!(rows(&stores).await, Some(vec![approval("a", 7), question("a", 5)]));
    commit(&stores, waiting(3, Vec::new())).await;
    assert_eq!(rows(&stores).await, Some(Vec::new()));
}

/// Input: a session that waits in one of two workspaces, and is deleted; expected: only its workspace has its row, until it
/// goes.
pub async fn inbox_rows_go_with_their_session(stores: StoreFixture) {
    commit(&stores, begun(HOME, "a")).await;
    commit(&stores, begun("eve:other", "b")).await;
    if rows(&stores).await.is_none() {
        return;
    }
    commit(&stores, waiting(1, vec![question("a", 5)])).await;
    assert_eq!(stores.log.inbox_rows(&key("eve:other")).await.unwrap(), Some(Vec::new()));
    commit(&stores, WorkspaceCommit { deleted: vec![(session_id("a"), 2)], ..next(HOME, 2) }).await;
    assert_eq!(rows(&stores).await, Some(Vec::new()));
}
