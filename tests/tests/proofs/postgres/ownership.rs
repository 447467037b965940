//! Ownership of a server database, and how it is lost.

use entracte_adapters_db::{Database, DatabaseOptions, DatabaseOwnershipError};
use entracte_application::ports::{self, CommitError, StoreError, WorkspaceCommit};
use entracte_domain::time::{Millis, Timestamp};
use entracte_tests::postgres::TestDatabase;

use super::begun;

/// Checked so rarely that nothing in a test depends on it.
fn open_with_rare_checks(made: &TestDatabase) -> Database {
    let options = DatabaseOptions { ownership_check: Millis::hours(1), ..DatabaseOptions::default() };
    Database::open(&made.url(), options).unwrap()
}

#[test]
fn second_owner_gets_name_of_first() {
    let Some(made) = TestDatabase::make() else { return };
    let (one, two) = (made.open(), made.open());
    let owned = one.try_own().unwrap();
    let error = two.try_own().unwrap_err();
    assert!(
        matches!(error, DatabaseOwnershipError::Owned { pid: Some(pid), .. } if pid == std::process::id()),
        "{error}"
    );
    drop(owned);
    two.try_own().unwrap();
}

#[test]
fn two_schemas_of_one_database_have_two_owners() {
    let Some(made) = TestDatabase::make() else { return };
    made.run("CREATE SCHEMA other");
    let other = format!("{}&options=-csearch_path%3Dother", made.url());
    let (one, two) = (made.open(), Database::open(&other, DatabaseOptions::default()).unwrap());
    let _owned = one.try_own().unwrap();
    two.try_own().unwrap();
}

#[tokio::test]
async fn process_without_ownership_commits_nothing() {
    let Some(made) = TestDatabase::make() else { return };
    let database = open_with_rare_checks(&made);
    let epoch = database.ownership().acquire(Timestamp(1)).await.unwrap();
    let store = database.store();
    store.commit(commit_at_epoch(epoch, "a")).await.unwrap();
    assert!(database.is_owned_here());
    made.close_all_connections();
    let other = made.open();
    let _owner_now = other.try_own().unwrap();
    let told = store.commit(commit_at_epoch(epoch, "b")).await.unwrap_err();
    let CommitError::Store(StoreError::Unavailable(says)) = told else { unreachable!("{told}") };
    assert!(says.says.starts_with("ownership was lost"), "{says}");
    assert!(!database.is_owned_here());
    assert_eq!(database.store().workspaces().await.unwrap().len(), 1, "it still reads");
}

#[tokio::test]
async fn ownership_not_taken_meanwhile_returns() {
    let Some(made) = TestDatabase::make() else { return };
    let options = DatabaseOptions { ownership_check: Millis(10), ..DatabaseOptions::default() };
    let database = Database::open(&made.url(), options).unwrap();
    let epoch = database.ownership().acquire(Timestamp(1)).await.unwrap();
    made.close_all_connections();
    while !database.is_owned_here() {
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    database.store().commit(commit_at_epoch(epoch, "a")).await.unwrap();
    database.ownership().renew(epoch).await.unwrap();
    assert!(made.open().try_own().is_err(), "and it is the same right");
}

/// The lock of a frozen process is lost with its connection; another process owned the database meanwhile and has left.
#[tokio::test]
async fn ownership_taken_meanwhile_does_not_return() {
    let Some(made) = TestDatabase::make() else { return };
    let (database, other) = (open_with_rare_checks(&made), made.open());
    let epoch = database.ownership().acquire(Timestamp(1)).await.unwrap();
    made.close_all_connections();
    let later = other.ownership().acquire(Timestamp(2)).await.unwrap();
    other.ownership().release(later);
    // The lock is free; it matters that another process raised the epoch.
    let told = database.ownership().renew(epoch).await.unwrap_err();
    assert!(matches!(told, ports::OwnershipError::Lost { .. }), "{told}");
    assert!(!database.is_owned_here());
    let told = database.store().commit(commit_at_epoch(epoch, "a")).await.unwrap_err();
    assert!(matches!(told, CommitError::NotOwner(_)), "{told}");
    database.ownership().acquire(Timestamp(3)).await.unwrap();
}

/// Input: a lock that is cut and checked often, while another process owns the database; expected: the lock is not
/// taken again after that process has left, and the next owner finds it free.
#[tokio::test]
async fn lock_of_a_lost_epoch_stays_free() {
    let Some(made) = TestDatabase::make() else { return };
    let options = DatabaseOptions { ownership_check: Millis(10), ..DatabaseOptions::default() };
    let database = Database::open(&made.url(), options).unwrap();
    let epoch = database.ownership().acquire(Timestamp(1)).await.unwrap();
    let taken = made.take_lock();
    made.run("UPDATE owner SET epoch = epoch + 1, holder = 'process 1'");
    drop(taken);
    // The finding of the thread that checks the lock is observed here without an extra query.
    while !matches!(database.store().commit(commit_at_epoch(epoch, "a")).await, Err(CommitError::NotOwner(_)))
    {
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    assert!(!database.is_owned_here());
    let other = made.open();
    while let Err(error) = other.try_own() {
        assert!(matches!(error, DatabaseOwnershipError::Owned { .. }), "{error}");
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
}

fn commit_at_epoch(epoch: u64, stem: &str) -> WorkspaceCommit {
    let mut commit = begun(stem);
    commit.workspace.epoch = epoch;
    commit
}
