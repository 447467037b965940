//! What people noted about items of their inbox: snoozes and assignments.

use entracte_application::ports::{AssignmentRow, SnoozeRow, TriageChange, TriageRows, WorkspaceCommit};
use entracte_domain::time::Timestamp;

use super::StoreFixture;
use super::rows::{HOME, begun, key, next, session_id};
use super::store::{commit, refused};

const OTHER: &str = "eve:other";

/// A snooze of the item of a session, until this instant.
pub fn snooze(stem: &str, person: &str, until: i64) -> SnoozeRow {
    SnoozeRow {
        session: session_id(stem),
        item: format!("question:{stem}"),
        person: person.to_owned(),
        version: "v1".to_owned(),
        until: Timestamp(until),
        at: Timestamp(5),
    }
}

/// The item of a session, assigned to a person.
pub fn assignment(stem: &str, person: &str) -> AssignmentRow {
    AssignmentRow {
        session: session_id(stem),
        item: format!("question:{stem}"),
        person: person.to_owned(),
        author: "ann".to_owned(),
        at: Timestamp(6),
    }
}

async fn note(stores: &StoreFixture, triage: Vec<TriageChange>) {
    commit(stores, WorkspaceCommit { triage, ..next(HOME, 1) }).await;
}

/// Input: two people snooze an item, one of them again, and one wakes it; expected: each has their own latest snooze.
pub async fn a_snooze_is_one_persons(stores: StoreFixture) {
    commit(&stores, begun(HOME, "a")).await;
    let all = async || stores.log.inbox_triage(&key(HOME)).await.unwrap().snoozes;
    let (ann, bob) = (snooze("a", "ann", 10), snooze("a", "bob", 20));
    note(&stores, vec![TriageChange::Snooze(bob.clone()), TriageChange::Snooze(ann.clone())]).await;
    assert_eq!(all().await, [ann, bob.clone()]);

    let later = SnoozeRow { version: "v2".to_owned(), at: Timestamp(7), ..snooze("a", "ann", 30) };
    note(&stores, vec![TriageChange::Snooze(later.clone())]).await;
    assert_eq!(all().await, [later.clone(), bob]);

    let (session, item) = (session_id("a"), "question:a".to_owned());
    let wake = TriageChange::Wake { session, item, person: "bob".to_owned() };
    note(&stores, vec![wake.clone(), wake]).await;
    assert_eq!(all().await, std::slice::from_ref(&later));

    note(&stores, vec![TriageChange::DeleteEnded(Timestamp(29))]).await;
    assert_eq!(all().await, [later]);
    note(&stores, vec![TriageChange::DeleteEnded(Timestamp(30))]).await;
    assert_eq!(all().await, []);
}

/// Input: an item is assigned twice, and then to nobody; expected: the latest assignment stands.
pub async fn an_item_is_assigned_to_one_person(stores: StoreFixture) {
    commit(&stores, begun(HOME, "a")).await;
    let all = async || stores.log.inbox_triage(&key(HOME)).await.unwrap().assignments;
    for person in ["bob", "eve"] {
        note(&stores, vec![TriageChange::Assign(assignment("a", person))]).await;
        assert_eq!(all().await, [assignment("a", person)]);
    }
    let unassign = TriageChange::Unassign { session: session_id("a"), item: "question:a".to_owned() };
    note(&stores, vec![unassign.clone(), unassign]).await;
    assert_eq!(all().await, []);
}

/// Input: a deleted session with a snooze and an assignment; expected: both are gone.
pub async fn notes_go_with_their_session(stores: StoreFixture) {
    commit(&stores, begun(HOME, "a")).await;
    note(
        &stores,
        vec![TriageChange::Snooze(snooze("a", "ann", 10)), TriageChange::Assign(assignment("a", "bob"))],
    )
    .await;
    commit(&stores, WorkspaceCommit { deleted: vec![(session_id("a"), 1)], ..next(HOME, 1) }).await;
    assert_eq!(stores.log.inbox_triage(&key(HOME)).await.unwrap(), TriageRows::default());
}

/// Input: another workspace names a session of the home workspace; expected: it finds, writes and deletes nothing of it.
pub async fn notes_of_another_workspace_are_not_found(stores: StoreFixture) {
    commit(&stores, begun(HOME, "a")).await;
    commit(&stores, begun(OTHER, "b")).await;
    let (snoozed, assigned) = (snooze("a", "ann", 10), assignment("a", "bob"));
    note(&stores, vec![TriageChange::Snooze(snoozed.clone()), TriageChange::Assign(assigned.clone())]).await;
    let theirs = |triage| WorkspaceCommit { triage, ..next(OTHER, 1) };
    for row in [TriageChange::Snooze(snooze("a", "eve", 10)), TriageChange::Assign(assignment("a", "eve"))] {
        refused(&stores, theirs(vec![row])).await;
    }
    let (session, item) = (session_id("a"), "question:a".to_owned());
    let deletes = vec![
        TriageChange::Wake { session: session.clone(), item: item.clone(), person: "ann".to_owned() },
        TriageChange::Unassign { session, item },
        TriageChange::DeleteEnded(Timestamp(99)),
    ];
    commit(&stores, theirs(deletes)).await;
    assert_eq!(stores.log.inbox_triage(&key(OTHER)).await.unwrap(), TriageRows::default());
    let left = TriageRows { snoozes: vec![snoozed], assignments: vec![assigned] };
    assert_eq!(stores.log.inbox_triage(&key(HOME)).await.unwrap(), left);
}
