//! The contract suite of [`OutboxStore`].

use std::any::Any;
use std::sync::Arc;

use entracte_application::ports::{
    AddTargetOutcome, LinkRow, OutboxRow, OutboxState, OutboxStore, OutboxWriteBatch, TargetRow,
    WorkspaceCommit, WorkspaceStore,
};
use entracte_domain::id::{ApprovalId, Digest};
use entracte_domain::time::Timestamp;

use super::receipts::receipt;
use super::rows::{HOME, begun, key, next, session_id};

/// The store under test, and the resources it needs.
pub struct OutboxStoreFixture {
    /// The store.
    pub store: Arc<dyn OutboxStore>,
    /// Writes commits to the same database.
    pub commits: Arc<dyn WorkspaceStore>,
    /// A temporary directory or a server that must outlive the store.
    pub keep: Box<dyn Any + Send + Sync>,
}

/// A target of a workspace.
pub fn target(workspace: &str, name: &str) -> TargetRow {
    TargetRow {
        id: format!("tgt_{name}_{}", workspace.replace(':', "_")),
        workspace: key(workspace),
        name: name.to_owned(),
        disabled: None,
        cursor: 3,
        looked_at: Timestamp(4),
        revision: 1,
        created_at: Timestamp(5),
        body: name.as_bytes().to_vec(),
    }
}

/// A notification of an item to a target.
pub fn row(id: &str, target: &TargetRow, item: &str, due: i64) -> OutboxRow {
    OutboxRow {
        id: id.to_owned(),
        workspace: target.workspace.clone(),
        target: target.id.clone(),
        item: item.to_owned(),
        kind: "question.asked".to_owned(),
        session: Some(session_id("a")),
        message: None,
        created_at: Timestamp(due),
        due_at: Timestamp(due),
        tried_at: None,
        attempts: 0,
        state: OutboxState::Pending,
        error: None,
    }
}

/// A link that is sent to a target.
pub fn link(hash: &str, target: &TargetRow) -> LinkRow {
    LinkRow {
        hash: Digest::new(hash),
        workspace: target.workspace.clone(),
        target: target.id.clone(),
        person: "ann".to_owned(),
        is_private: true,
        session: session_id("a"),
        approval: ApprovalId::new("apr_a_1_0"),
        digest: Digest::new("d1"),
        created_at: Timestamp(6),
        expires_at: Timestamp(60),
        used_at: None,
    }
}

async fn added(outbox: &OutboxStoreFixture, row: &TargetRow) {
    assert_eq!(outbox.store.add_target(row.clone(), 9).await.unwrap(), AddTargetOutcome::Added);
}

async fn write(outbox: &OutboxStoreFixture, write: OutboxWriteBatch) {
    outbox.store.write(write).await.unwrap();
}

async fn told(outbox: &OutboxStoreFixture) -> Vec<OutboxRow> {
    outbox.store.notifications(&key(HOME), 9).await.unwrap()
}

/// Every column, filled and empty; a name is unique in its workspace, and the number of targets is limited.
pub async fn a_target_is_read_back_as_it_was_written(outbox: OutboxStoreFixture) {
    let (phone, hook) = (target(HOME, "phone"), target(HOME, "hook"));
    let hook = TargetRow { disabled: Some("410".to_owned()), ..hook };
    added(&outbox, &phone).await;
    added(&outbox, &hook).await;
    added(&outbox, &phone).await;
    let elsewhere = target("eve:other", "phone");
    added(&outbox, &elsewhere).await;
    assert_eq!(outbox.store.targets(Some(key(HOME))).await.unwrap(), [hook.clone(), phone.clone()]);
    assert_eq!(outbox.store.targets(None).await.unwrap(), [hook, phone.clone(), elsewhere]);
    let other = TargetRow { id: "tgt_other".to_owned(), ..phone };
    assert_eq!(outbox.store.add_target(other, 9).await.unwrap(), AddTargetOutcome::NameTaken);
    let third = target(HOME, "third");
    assert_eq!(outbox.store.add_target(third, 2).await.unwrap(), AddTargetOutcome::Full);
}

/// The target is added with its receipt or not at all; a repeated request under the key returns the stored receipt.
pub async fn a_target_is_added_once_under_a_key(outbox: OutboxStoreFixture) {
    let once = |name: &str, key: &str, at: i64, before: i64| {
        outbox.store.add_target_once(target(HOME, name), 2, receipt(key, at), Timestamp(before))
    };
    assert_eq!(once("phone", "k1", 5, 0).await.unwrap(), AddTargetOutcome::Added);
    assert_eq!(once("other", "k1", 6, 5).await.unwrap(), AddTargetOutcome::Before(receipt("k1", 5)));
    let taken = TargetRow { id: "tgt_taken".to_owned(), ..target(HOME, "phone") };
    let refused = outbox.store.add_target_once(taken, 2, receipt("k2", 7), Timestamp(0)).await.unwrap();
    assert_eq!(refused, AddTargetOutcome::NameTaken);
    assert_eq!(
        once("hook", "k2", 8, 0).await.unwrap(),
        AddTargetOutcome::Added,
        "nothing is kept of a refusal"
    );
    assert_eq!(
        once("third", "k1", 9, 6).await.unwrap(),
        AddTargetOutcome::Full,
        "the first receipt is too old"
    );
    assert_eq!(outbox.store.targets(None).await.unwrap(), [target(HOME, "hook"), target(HOME, "phone")]);
}

/// Only from the previous revision, and only within its own workspace.
pub async fn a_target_is_changed_from_the_revision_that_is_there(outbox: OutboxStoreFixture) {
    let phone = target(HOME, "phone");
    added(&outbox, &phone).await;
    let changed =
        TargetRow { revision: 2, body: b"new".to_vec(), disabled: Some("ann".into()), ..phone.clone() };
    let foreign = TargetRow { workspace: key("eve:other"), ..changed.clone() };
    assert!(!outbox.store.change_target(foreign).await.unwrap());
    assert!(outbox.store.change_target(changed.clone()).await.unwrap());
    assert!(!outbox.store.change_target(changed.clone()).await.unwrap());
    assert_eq!(outbox.store.targets(None).await.unwrap(), [changed]);
}

/// Another workspace cannot remove it.
pub async fn a_removed_target_is_gone_with_all_that_refers_to_it(outbox: OutboxStoreFixture) {
    let phone = target(HOME, "phone");
    added(&outbox, &phone).await;
    let step = OutboxWriteBatch {
        new: vec![row("n1", &phone, "i1", 1)],
        links: vec![link("h1", &phone)],
        ..OutboxWriteBatch::default()
    };
    write(&outbox, step.clone()).await;
    assert!(!outbox.store.remove_target(&key("eve:other"), &phone.id).await.unwrap());
    assert_eq!(
        (told(&outbox).await.len(), outbox.store.link(&Digest::new("h1")).await.unwrap().is_some()),
        (1, true)
    );
    assert!(outbox.store.remove_target(&key(HOME), &phone.id).await.unwrap());
    assert!(!outbox.store.remove_target(&key(HOME), &phone.id).await.unwrap());
    // A pending step for the removed target has no effect.
    write(&outbox, step).await;
    assert_eq!(told(&outbox).await, []);
    assert_eq!(outbox.store.link(&Digest::new("h1")).await.unwrap(), None);
}

/// The existing row stays, whatever its id; the cursor moves with it.
pub async fn a_target_is_told_an_item_once(outbox: OutboxStoreFixture) {
    let (phone, hook) = (target(HOME, "phone"), target(HOME, "hook"));
    added(&outbox, &phone).await;
    added(&outbox, &hook).await;
    let first = OutboxWriteBatch {
        moved: vec![(phone.id.clone(), 7, Timestamp(8))],
        new: vec![row("n1", &phone, "i1", 1), row("n2", &hook, "i1", 2)],
        ..OutboxWriteBatch::default()
    };
    write(&outbox, first).await;
    let again = [row("n3", &phone, "i1", 3), row("n4", &phone, "i2", 4), row("n5", &phone, "i2", 5)];
    write(&outbox, OutboxWriteBatch { new: again.to_vec(), ..OutboxWriteBatch::default() }).await;
    let ids: Vec<String> = told(&outbox).await.into_iter().map(|row| row.id).collect();
    assert_eq!(ids, ["n4", "n2", "n1"], "the latest first");
    let moved = outbox.store.targets(None).await.unwrap().into_iter().find(|row| row.id == phone.id).unwrap();
    assert_eq!((moved.cursor, moved.looked_at, moved.revision), (7, Timestamp(8), 1));
}

/// Ordered by due time, without settled rows.
pub async fn what_is_pending_and_due_comes_in_order(outbox: OutboxStoreFixture) {
    let phone = target(HOME, "phone");
    added(&outbox, &phone).await;
    let rows = [row("n1", &phone, "i1", 30), row("n2", &phone, "i2", 10), row("n3", &phone, "i3", 20)];
    let sent = OutboxRow { state: OutboxState::Sent, ..row("n4", &phone, "i4", 5) };
    write(
        &outbox,
        OutboxWriteBatch { new: [rows.to_vec(), vec![sent]].concat(), ..OutboxWriteBatch::default() },
    )
    .await;
    let ids = async |now: i64, limit: u32| -> Vec<String> {
        let due = outbox.store.due(Timestamp(now), limit).await.unwrap();
        due.into_iter().map(|row| row.id).collect()
    };
    assert_eq!(ids(20, 9).await, ["n2", "n3"]);
    assert_eq!(ids(99, 1).await, ["n2"]);
    assert_eq!(ids(9, 9).await, Vec::<String>::new());
}

/// The outcome of an attempt is stored; old rows are removed unless they are pending.
pub async fn what_became_of_a_row_is_kept_until_it_is_old(outbox: OutboxStoreFixture) {
    let phone = target(HOME, "phone");
    added(&outbox, &phone).await;
    let (one, two) = (row("n1", &phone, "i1", 10), row("n2", &phone, "i2", 20));
    write(&outbox, OutboxWriteBatch { new: vec![one.clone(), two.clone()], ..OutboxWriteBatch::default() })
        .await;
    let dead = OutboxRow {
        message: Some("m1".to_owned()),
        due_at: Timestamp(40),
        tried_at: Some(Timestamp(30)),
        attempts: 2,
        state: OutboxState::Dead,
        error: Some("HTTP 500".to_owned()),
        ..one
    };
    let gone = row("n9", &phone, "i9", 1);
    let step = OutboxWriteBatch {
        changed: vec![dead.clone(), gone],
        links: vec![link("h1", &phone)],
        disabled: vec![(phone.id.clone(), "410".to_owned())],
        ..OutboxWriteBatch::default()
    };
    write(&outbox, step).await;
    assert_eq!(told(&outbox).await, [two.clone(), dead]);
    let disabled = outbox.store.targets(None).await.unwrap().remove(0);
    assert_eq!((disabled.disabled.as_deref(), disabled.revision), (Some("410"), 2));
    let forget = |before: i64| OutboxWriteBatch {
        forget_before: Some(Timestamp(before)),
        ..OutboxWriteBatch::default()
    };
    write(&outbox, forget(10)).await;
    assert_eq!(told(&outbox).await.len(), 2);
    write(&outbox, forget(60)).await;
    assert_eq!(told(&outbox).await, [two], "what is pending stays");
    assert!(outbox.store.link(&Digest::new("h1")).await.unwrap().is_some());
    write(&outbox, forget(61)).await;
    assert_eq!(outbox.store.link(&Digest::new("h1")).await.unwrap(), None);
}

/// The link is spent in the commit of the decision, atomically; the first use stands, and only within its own
/// workspace.
pub async fn a_link_is_spent_by_a_commit(outbox: OutboxStoreFixture) {
    let phone = target(HOME, "phone");
    added(&outbox, &phone).await;
    write(&outbox, OutboxWriteBatch { links: vec![link("h1", &phone)], ..OutboxWriteBatch::default() }).await;
    let used = async || outbox.store.link(&Digest::new("h1")).await.unwrap().unwrap().used_at;
    outbox.commits.commit(begun(HOME, "a")).await.unwrap();
    outbox.commits.commit(begun("eve:other", "b")).await.unwrap();
    let spends = |commit: WorkspaceCommit, at: i64| WorkspaceCommit {
        spent_links: vec![(Digest::new("h1"), Timestamp(at))],
        ..commit
    };
    outbox.commits.commit(spends(next("eve:other", 1), 7)).await.unwrap();
    assert_eq!(used().await, None, "another workspace spends nothing");
    assert!(outbox.commits.commit(spends(next(HOME, 5), 8)).await.is_err());
    assert_eq!(used().await, None, "a commit that conflicts spends nothing");
    outbox.commits.commit(spends(next(HOME, 1), 9)).await.unwrap();
    outbox.commits.commit(spends(next(HOME, 1), 10)).await.unwrap();
    assert_eq!(used().await, Some(Timestamp(9)));
}
