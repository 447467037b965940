//! The server goes away: in the middle of a COMMIT, and between two.

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
async fn a_commit_whose_answer_is_lost_is_found_and_not_done_again() {
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
async fn a_commit_that_never_came_is_told_as_not_done() {
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
async fn what_a_session_at_work_wrote_is_found_when_its_answer_is_lost() {
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
async fn what_a_session_at_work_never_wrote_is_told_as_not_done() {
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
async fn mail_whose_commit_was_cut_off_is_posted_once() {
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
async fn after_the_server_closed_every_connection_the_next_commit_and_the_next_read_work() {
    let Some(made) = TestDatabase::make() else { return };
    let database = made.open();
    let mail_store = database.mail_store();
    database.store().commit(begun("a")).await.unwrap();
    assert_eq!(keys(&database).await, ["ann:a 1"]);
    assert_eq!(ids(&*mail_store).await, []);
    made.close_all_connections();
    database.store().commit(begun("b")).await.unwrap();
    assert_eq!(keys(&database).await, ["ann:a 1", "ann:b 1"]);
    // The one that listens to mail finds out by its next look, and looks again.
    let _ = mail_store.unanswered().await;
    let id = made.open().mail_store().post(&WorkspaceKey::new("ann:a"), vec![1], Timestamp(1)).await.unwrap();
    assert_eq!(ids(&*mail_store).await, [id]);
}

/// A notice may come a moment after the commit it tells of.
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
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    other.answer_refused(&WorkspaceKey::new("ann:a"), id, vec![2]).await.unwrap();
    while !ids(&*owner).await.is_empty() {
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
}

async fn ids(mail_store: &dyn MailStore) -> Vec<MailId> {
    mail_store.unanswered().await.unwrap().into_iter().map(|mail| mail.id).collect()
}
