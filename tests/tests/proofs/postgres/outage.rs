//! Outages of the server: in the middle of a COMMIT, and between two.

use entracte_adapters_db::{Database, DatabaseOptions};
use entracte_application::ports::{MailId, MailStore};
use entracte_domain::id::WorkspaceKey;
use entracte_domain::time::Timestamp;
use entracte_tests::postgres::TestDatabase;

use super::{at_work, begun};
use entracte_tests::postgres_proxy::{CommitCutPoint, PostgresFaultProxy};

async fn keys(database: &Database) -> Vec<String> {
    let rows = database.store().workspaces().await.unwrap();
    rows.into_iter().map(|row| format!("{} {}", row.key, row.seq)).collect()
}

#[tokio::test]
async fn commit_with_lost_answer_is_found_not_repeated() {
    let Some(made) = TestDatabase::make() else { return };
    let proxy = PostgresFaultProxy::to(&made);
    let database = Database::open(proxy.url(), DatabaseOptions::default()).unwrap();
    database.store().commit(begun("a")).await.unwrap();
    proxy.cut_next_commit(CommitCutPoint::After);
    database.store().commit(begun("b")).await.unwrap();
    assert!(proxy.was_cut());
    assert_eq!(keys(&made.open()).await, ["ann:a 1", "ann:b 1"]);
    database.store().commit(begun("c")).await.unwrap();
}

#[tokio::test]
async fn commit_that_never_arrived_is_not_done() {
    let Some(made) = TestDatabase::make() else { return };
    let proxy = PostgresFaultProxy::to(&made);
    let database = Database::open(proxy.url(), DatabaseOptions::default()).unwrap();
    proxy.cut_next_commit(CommitCutPoint::Before);
    let told = database.store().commit(begun("a")).await;
    assert!(proxy.was_cut());
    assert!(told.is_err(), "nothing was written, and that is what is said");
    assert_eq!(keys(&database).await, Vec::<String>::new());
    database.store().commit(begun("a")).await.unwrap();
}

#[tokio::test]
async fn session_commit_with_lost_answer_is_found() {
    let Some(made) = TestDatabase::make() else { return };
    let proxy = PostgresFaultProxy::to(&made);
    let database = Database::open(proxy.url(), DatabaseOptions::default()).unwrap();
    database.store().commit(begun("a")).await.unwrap();
    proxy.cut_next_commit(CommitCutPoint::After);
    database.store().commit(at_work("a")).await.unwrap();
    assert!(proxy.was_cut());
    assert_eq!(keys(&made.open()).await, ["ann:a 2"]);
}

#[tokio::test]
async fn session_commit_never_arrived_is_reported_not_done() {
    let Some(made) = TestDatabase::make() else { return };
    let proxy = PostgresFaultProxy::to(&made);
    let database = Database::open(proxy.url(), DatabaseOptions::default()).unwrap();
    database.store().commit(begun("a")).await.unwrap();
    proxy.cut_next_commit(CommitCutPoint::Before);
    let told = database.store().commit(at_work("a")).await;
    assert!(proxy.was_cut());
    assert!(told.is_err(), "nothing was written, and that is what is said");
    assert_eq!(keys(&made.open()).await, ["ann:a 1"]);
    database.store().commit(at_work("a")).await.unwrap();
}

#[tokio::test]
async fn mail_with_cut_commit_is_posted_once() {
    let Some(made) = TestDatabase::make() else { return };
    let proxy = PostgresFaultProxy::to(&made);
    let database = Database::open(proxy.url(), DatabaseOptions::default()).unwrap();
    proxy.cut_next_commit(CommitCutPoint::After);
    let mail_store = database.mail_store();
    let id = mail_store.post(&WorkspaceKey::new("ann:a"), vec![1], Timestamp(1)).await.unwrap();
    assert!(proxy.was_cut());
    assert_eq!(ids(&*mail_store).await, [id]);
}

#[tokio::test]
async fn commit_and_read_work_after_connections_closed() {
    let Some(made) = TestDatabase::make() else { return };
    let database = made.open();
    let mail_store = database.mail_store();
    database.store().commit(begun("a")).await.unwrap();
    assert_eq!(keys(&database).await, ["ann:a 1"]);
    assert_eq!(ids(&*mail_store).await, []);
    made.close_all_connections();
    database.store().commit(begun("b")).await.unwrap();
    assert_eq!(keys(&database).await, ["ann:a 1", "ann:b 1"]);
    // The listener for mail notices the cut at its next poll, and polls again.
    let _ = mail_store.unanswered().await;
    let id = made.open().mail_store().post(&WorkspaceKey::new("ann:a"), vec![1], Timestamp(1)).await.unwrap();
    assert_eq!(ids(&*mail_store).await, [id]);
}

/// A notification may arrive a moment after its commit.
#[tokio::test]
async fn mail_of_another_process_is_noticed() {
    let Some(made) = TestDatabase::make() else { return };
    let (owner, other) = (made.open().mail_store(), made.open().mail_store());
    assert_eq!(ids(&*owner).await, []);
    let id = other.post(&WorkspaceKey::new("ann:a"), vec![1], Timestamp(1)).await.unwrap();
    let mut looks = 0;
    while ids(&*owner).await != [id] {
        looks += 1;
        assert!(looks < 50, "fewer looks than after which it asks without a notice");
        // Few looks, so long ones: the notice of a busy server takes its time.
        tokio::time::sleep(std::time::Duration::from_millis(200)).await;
    }
    other.answer_refused(&WorkspaceKey::new("ann:a"), id, vec![2]).await.unwrap();
    while !ids(&*owner).await.is_empty() {
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
}

async fn ids(mail_store: &dyn MailStore) -> Vec<MailId> {
    mail_store.unanswered().await.unwrap().into_iter().map(|mail| mail.id).collect()
}
