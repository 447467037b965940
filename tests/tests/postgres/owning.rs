//! Who owns a database of a server, and how the right to it is lost.

use entracte_adapters_db::{Database, DatabaseOptions, OwnershipError};
use entracte_application::ports::{CommitError, StoreError};
use entracte_domain::time::Millis;
use entracte_tests::postgres::TestDatabase;

use crate::begun;

/// Looked after so rarely that nothing in a test depends on it.
fn rarely(made: &TestDatabase) -> Database {
    let options = DatabaseOptions { ownership_check: Millis::hours(1), ..DatabaseOptions::default() };
    Database::open(&made.url(), options).unwrap()
}

#[test]
fn the_second_who_asks_is_told_the_owner() {
    let Some(made) = TestDatabase::make() else { return };
    let (one, two) = (made.open(), made.open());
    let owned = one.try_own().unwrap();
    let error = two.try_own().unwrap_err();
    assert!(
        matches!(error, OwnershipError::Owned { pid: Some(pid), .. } if pid == std::process::id()),
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
async fn who_lost_the_right_commits_nothing_more() {
    let Some(made) = TestDatabase::make() else { return };
    let database = rarely(&made);
    let owned = database.try_own().unwrap();
    let store = owned.guard(database.store());
    store.commit(begun("a")).await.unwrap();
    assert!(owned.is_held());
    made.cut();
    let other = made.open();
    let _owner_now = other.try_own().unwrap();
    let told = store.commit(begun("b")).await.unwrap_err();
    let CommitError::Store(StoreError::Unavailable(says)) = told else { unreachable!("{told}") };
    assert!(says.says.starts_with("the right to handle its events was lost"), "{says}");
    assert!(!owned.is_held());
    assert_eq!(database.store().workspaces().await.unwrap().len(), 1, "it still reads");
}

#[tokio::test]
async fn a_right_that_nobody_took_meanwhile_comes_back() {
    let Some(made) = TestDatabase::make() else { return };
    let options = DatabaseOptions { ownership_check: Millis(10), ..DatabaseOptions::default() };
    let database = Database::open(&made.url(), options).unwrap();
    let owned = database.try_own().unwrap();
    made.cut();
    while !owned.is_held() {
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    owned.guard(database.store()).commit(begun("a")).await.unwrap();
    assert!(made.open().try_own().is_err(), "and it is the same right");
}
