//! The contract suite of [`AutomationReader`](entracte_application::ports::AutomationReader), and of how a commit
//! changes automations and occurrences.

use entracte_application::ports::{AutomationRow, OccurrenceRow, WakeSchedule, WorkspaceCommit};
use entracte_domain::id::{AutomationId, SessionId};
use entracte_domain::time::Timestamp;

use super::StoreFixture;
use super::rows::{HOME, first, key, next, session_id};
use super::store::{commit, conflict};

/// Committed automations are read back unchanged, in creation order; each workspace has its own.
pub async fn automations_come_in_the_order_they_were_made(stores: StoreFixture) {
    let (late, early) = (automation("late", 1), automation("early", 1));
    commit(&stores, with(first(HOME), vec![(late.clone(), None), (early.clone(), None)])).await;
    commit(&stores, first("bob:home")).await;
    assert_eq!(stores.automations.automations(&key(HOME)).await.unwrap(), [late.clone(), early]);
    assert_eq!(stores.automations.automations(&key("bob:home")).await.unwrap(), []);
    assert_eq!(stores.automations.automation(&key(HOME), &late.id).await.unwrap(), Some(late));
    assert_eq!(
        stores.automations.automation(&key(HOME), &AutomationId::new("aut_none")).await.unwrap(),
        None
    );
}

/// A change replaces the row whose revision it names.
pub async fn an_automation_is_changed_from_the_revision_that_is_there(stores: StoreFixture) {
    commit(&stores, with(first(HOME), vec![(automation("a", 1), None)])).await;
    let second = AutomationRow { name: "Renamed".into(), next_at: None, ..automation("a", 2) };
    commit(&stores, with(next(HOME, 0), vec![(second.clone(), Some(1))])).await;
    assert_eq!(stores.automations.automations(&key(HOME)).await.unwrap(), [second]);
    conflict(&stores, with(next(HOME, 0), vec![(automation("a", 2), Some(1))])).await;
    conflict(&stores, with(next(HOME, 0), vec![(automation("a", 1), None)])).await;
}

/// Its occurrences stay, and so do its runs.
pub async fn a_deleted_automation_leaves_its_occurrences(stores: StoreFixture) {
    commit(&stores, with(first(HOME), vec![(automation("a", 1), None)])).await;
    let ran = occurrence("a", 5, Some("run"));
    commit(&stores, WorkspaceCommit { occurrences: vec![ran.clone()], ..next(HOME, 0) }).await;
    let id = AutomationId::new("aut_a");
    let stale = WorkspaceCommit { deleted_automations: vec![(id.clone(), 9)], ..next(HOME, 0) };
    conflict(&stores, stale).await;
    commit(&stores, WorkspaceCommit { deleted_automations: vec![(id.clone(), 1)], ..next(HOME, 0) }).await;
    assert_eq!(stores.automations.automation(&key(HOME), &id).await.unwrap(), None);
    assert_eq!(stores.automations.occurrences(&key(HOME), &id, None, 9).await.unwrap(), [ran]);
}

/// One row per automation and instant; a commit with a second one writes nothing.
pub async fn an_occurrence_is_decided_once(stores: StoreFixture) {
    commit(&stores, with(first(HOME), vec![(automation("a", 1), None)])).await;
    let skipped = occurrence("a", 5, None);
    commit(&stores, WorkspaceCommit { occurrences: vec![skipped.clone()], ..next(HOME, 0) }).await;
    let again = occurrence("a", 5, Some("run"));
    let changed = automation("a", 2);
    let twice = WorkspaceCommit {
        occurrences: vec![occurrence("a", 6, None), again],
        ..with(next(HOME, 0), vec![(changed, Some(1))])
    };
    conflict(&stores, twice).await;
    let id = AutomationId::new("aut_a");
    assert_eq!(stores.automations.occurrences(&key(HOME), &id, None, 9).await.unwrap(), [skipped]);
    assert_eq!(stores.automations.automation(&key(HOME), &id).await.unwrap().unwrap().revision, 1);
    // Another automation may be due at the same instant.
    commit(&stores, WorkspaceCommit { occurrences: vec![occurrence("b", 5, None)], ..next(HOME, 0) }).await;
}

/// Before an instant, latest first, up to a limit.
pub async fn occurrences_come_latest_first(stores: StoreFixture) {
    let rows: Vec<OccurrenceRow> = [3, 1, 2].map(|at| occurrence("a", at, None)).into();
    commit(&stores, WorkspaceCommit { occurrences: rows, ..first(HOME) }).await;
    let id = AutomationId::new("aut_a");
    let at = async |before: Option<i64>, limit| {
        let rows =
            stores.automations.occurrences(&key(HOME), &id, before.map(Timestamp), limit).await.unwrap();
        rows.iter().map(|row| row.at.0).collect::<Vec<_>>()
    };
    assert_eq!(at(None, 9).await, [3, 2, 1]);
    assert_eq!(at(None, 2).await, [3, 2]);
    assert_eq!(at(Some(3), 9).await, [2, 1]);
    assert_eq!(at(Some(1), 9).await, [0; 0]);
}

/// Each workspace with a due automation once, ordered by key, and the first future instant.
pub async fn scheduled_gives_the_workspaces_that_are_due_and_the_next_instant(stores: StoreFixture) {
    let awaiting = |workspace: &str, stem: &str, at: Option<i64>| {
        (AutomationRow { next_at: at.map(Timestamp), ..automation_of(workspace, stem) }, None)
    };
    let bob = vec![
        awaiting("bob:home", "b1", Some(10)),
        awaiting("bob:home", "b2", Some(9)),
        awaiting("bob:home", "b3", Some(30)),
    ];
    commit(&stores, with(first("cid:home"), vec![awaiting("cid:home", "c", None)])).await;
    commit(&stores, with(first("bob:home"), bob)).await;
    commit(&stores, with(first(HOME), vec![awaiting(HOME, "a", Some(10))])).await;
    let agenda = |due: &[&str], next: Option<i64>| WakeSchedule {
        due: due.iter().copied().map(key).collect(),
        next: next.map(Timestamp),
    };
    for (now, expected) in [
        (8, agenda(&[], Some(9))),
        (9, agenda(&["bob:home"], Some(10))),
        (10, agenda(&[HOME, "bob:home"], Some(30))),
        (30, agenda(&[HOME, "bob:home"], None)),
    ] {
        assert_eq!(stores.automations.wake_schedule(Timestamp(now)).await.unwrap(), expected, "at {now}");
    }
}

fn with(commit: WorkspaceCommit, automations: Vec<(AutomationRow, Option<u64>)>) -> WorkspaceCommit {
    WorkspaceCommit { automations, ..commit }
}

pub(super) fn automation(stem: &str, revision: u64) -> AutomationRow {
    AutomationRow { revision, ..automation_of(HOME, stem) }
}

fn automation_of(workspace: &str, stem: &str) -> AutomationRow {
    AutomationRow {
        id: AutomationId::new(format!("aut_{stem}")),
        workspace: key(workspace),
        seed: session_id("seed"),
        name: format!("Automation {stem}"),
        next_at: Some(Timestamp(7_000_000)),
        revision: 1,
        body: vec![0, 159, 146, 150],
    }
}

pub(super) fn occurrence(stem: &str, at: i64, run: Option<&str>) -> OccurrenceRow {
    OccurrenceRow {
        automation: AutomationId::new(format!("aut_{stem}")),
        workspace: key(HOME),
        at: Timestamp(at),
        outcome: if run.is_some() { "ran" } else { "superseded" }.to_owned(),
        session: run.map(|stem| SessionId::new(format!("ses_{stem}"))),
        decided_at: Timestamp(8_000_000),
        body: vec![1, 2, 3],
    }
}
