//! Databases in memory.

use entracte_application::ports::WorkspaceRow;
use entracte_domain::time::Timestamp;

use super::{begun, input, open, place};
use crate::{Database, DatabaseLocation, DatabaseOptions, DatabaseOwnershipError, LockHolder};

fn at(location: &DatabaseLocation) -> Database {
    Database::open_at(location.clone(), DatabaseOptions::default()).expect("it opens")
}

async fn workspaces(database: &Database) -> Vec<WorkspaceRow> {
    database.store().workspaces().await.expect("they are read")
}

/// Input: a commit, read by connections of other roles and by a second store at the same location; expected: all see it,
/// and the database is sound. Another `:memory:` is empty.
#[tokio::test]
async fn memory_database_is_shared_by_all_connections() {
    let location = DatabaseLocation::parse(":memory:").expect("it is one");
    let database = at(&location);
    assert!(!database.applied_migrations().is_empty(), "it was empty");
    database.store().commit(begun("a")).await.expect("it is written");
    assert_eq!(workspaces(&database).await, [begun("a").workspace]);
    assert_eq!(database.check().expect("it is read"), Vec::<String>::new());
    assert!(database.mail_store().unanswered().await.expect("it is read").is_empty());

    let second = at(&location);
    assert!(second.applied_migrations().is_empty());
    second.store().commit(input("a")).await.expect("it is written");
    assert_eq!(workspaces(&database).await, [input("a").workspace]);

    let other = Database::open(":memory:", DatabaseOptions::default()).expect("it opens");
    assert!(workspaces(&other).await.is_empty());
}

#[tokio::test]
async fn memory_database_ends_with_its_last_store() {
    let location = DatabaseLocation::parse(":memory:").expect("it is one");
    let database = at(&location);
    database.store().commit(begun("a")).await.expect("it is written");
    drop(database);
    let database = at(&location);
    assert!(!database.applied_migrations().is_empty(), "it is a new one");
    assert!(workspaces(&database).await.is_empty());
}

#[tokio::test]
async fn memory_database_has_one_owner() {
    let location = DatabaseLocation::parse(":memory:").expect("it is one");
    let (one, two) = (at(&location), at(&location));
    let epoch = one.ownership().acquire(Timestamp(1)).await.expect("nobody owns it");
    one.ownership().renew(epoch).await.expect("it is still owned");
    assert!(one.is_owned_here());
    let holder = Some(LockHolder { pid: Some(std::process::id()), host: None });
    assert_eq!(two.lock_holder().await.expect("it is known"), holder);
    assert!(matches!(two.try_own(), Err(DatabaseOwnershipError::Owned { .. })));
    one.ownership().release(epoch);
    assert_eq!(two.lock_holder().await.expect("it is known"), None);
    two.try_own().expect("it was given back");
}

/// Input: a backup and a snapshot of a database in memory; expected: both are files with its rows.
#[tokio::test]
async fn memory_database_is_backed_up_to_a_file() {
    let (directory, path) = place();
    let location = DatabaseLocation::parse(":memory:").expect("it is one");
    let database = at(&location);
    database.store().commit(begun("a")).await.expect("it is written");
    database.backup(&path).expect("it is copied");
    let snapshot = directory.path().join("snapshot.db");
    Database::snapshot(&location, &DatabaseOptions::default(), &snapshot).expect("it is copied");
    for file in [path, snapshot] {
        assert_eq!(workspaces(&open(&file)).await, [begun("a").workspace], "{}", file.display());
    }
}

/// Input: rows in memory copied into another database in memory; expected: both have them, and no row differs.
#[tokio::test]
async fn memory_databases_are_copied_into_each_other() {
    let source = Database::open(":memory:", DatabaseOptions::default()).expect("it opens");
    source.store().commit(begun("a")).await.expect("it is written");
    let target = Database::open(":memory:", DatabaseOptions::default()).expect("it opens");
    source.copy_into(&target).expect("it is copied");
    assert_eq!(workspaces(&target).await, [begun("a").workspace]);
    assert_eq!(source.differences(&target).expect("they are read"), Vec::<&str>::new());
}
