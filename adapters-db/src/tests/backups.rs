//! Backups and checks.

use diesel::connection::SimpleConnection;

use super::{begun, input, open, place};
use crate::BackupError;
use crate::connection::ConnectionRole;

#[tokio::test]
async fn backup_contains_commits_before_it_only() {
    let (directory, path) = place();
    let database = open(&path);
    database.store().commit(begun("a")).await.expect("it is written");
    let copy = directory.path().join("it's a copy?.db");
    database.backup(&copy).expect("it is copied");
    database.store().commit(input("a")).await.expect("it is written");

    let copy = open(&copy);
    assert_eq!(copy.check().expect("it is read"), Vec::<String>::new());
    let found = copy.store().workspaces().await.expect("it is read");
    assert_eq!(found, vec![begun("a").workspace]);
    copy.store().commit(input("a")).await.expect("it goes on from there");
}

#[tokio::test]
async fn a_backup_overwrites_nothing() {
    let (directory, path) = place();
    let database = open(&path);
    let there = directory.path().join("there.db");
    std::fs::write(&there, "mine").expect("it is written");
    let error = database.backup(&there).expect_err("something is there");
    assert!(matches!(error, BackupError::Exists { .. }), "{error}");
    assert_eq!(std::fs::read(&there).expect("it is read"), b"mine");
    assert!(matches!(database.backup(&path), Err(BackupError::Exists { .. })));
}

/// Input: the partial file of a process killed during a backup; expected: the backup is complete under its final name,
/// and no other file is left. A failed backup leaves no file at all.
#[tokio::test]
async fn backup_gets_its_name_once_complete() {
    let (directory, path) = place();
    let database = open(&path);
    database.store().commit(begun("a")).await.expect("it is written");
    let copy = directory.path().join("copy.db");
    let part = crate::private_file::partial_path(&copy);
    std::fs::write(&part, "half a back").expect("it is written");
    database.backup(&copy).expect("it is copied");
    assert!(!part.exists(), "{}", part.display());
    assert_eq!(open(&copy).check().expect("it is read"), Vec::<String>::new());
    // The name is taken between the first check and the end.
    let taken = directory.path().join("taken.db");
    std::fs::write(crate::private_file::partial_path(&taken), "whole").expect("it is written");
    std::fs::write(&taken, "mine").expect("it is written");
    let error = crate::private_file::publish(&crate::private_file::partial_path(&taken), &taken)
        .expect_err("it is taken");
    assert_eq!(error.kind(), std::io::ErrorKind::AlreadyExists);
    assert_eq!(std::fs::read(&taken).expect("it is read"), b"mine");
}

#[test]
fn a_backup_into_no_directory_says_so() {
    let (directory, path) = place();
    let error = open(&path).backup(&directory.path().join("no/where.db")).expect_err("no such place");
    assert!(matches!(error, BackupError::Io { .. }), "{error}");
}

#[tokio::test]
async fn a_check_names_what_is_wrong() {
    let (_directory, path) = place();
    let database = open(&path);
    database.store().commit(begun("a")).await.expect("it is written");
    assert_eq!(database.check().expect("it is read"), Vec::<String>::new());
    let mut conn = database.connect(ConnectionRole::Writer).expect("it opens");
    let damage = "PRAGMA foreign_keys = OFF; UPDATE sessions SET workspace_id = 99";
    conn.batch_execute(damage).expect("it is damaged");
    let faults = database.check().expect("it is read");
    assert_eq!(faults, ["row 1 of sessions refers to a missing row of workspaces"]);
}
