//! Commits that wait at the same time share a transaction on a server too, and what fails in it fails alone.

use entracte_application::ports::{Commit, CommitError};
use entracte_tests::postgres::TestDatabase;

use crate::begun;

/// Commits of which every third is there already, and every fifth cannot be kept.
fn commits() -> Vec<(Commit, &'static str)> {
    let of = |number: u32| match number {
        number if number % 3 == 0 => (begun("there"), "conflict"),
        number if number % 5 == 0 => {
            let mut commit = begun(&format!("w{number}"));
            commit.sessions[0].0.name = "a\0b".to_owned();
            (commit, "refused")
        }
        number => (begun(&format!("w{number}")), "written"),
    };
    (1..=60).map(of).collect()
}

#[expect(clippy::panic, reason = "what cannot be read has failed")]
fn word(outcome: Result<(), CommitError>) -> &'static str {
    match outcome {
        Ok(()) => "written",
        Err(CommitError::Conflict(_)) => "conflict",
        Err(CommitError::NotOwner(_)) => "not the owner",
        Err(CommitError::Store(_)) => "refused",
        Err(other) => panic!("{other}"),
    }
}

#[tokio::test]
async fn what_fails_in_a_group_fails_alone() {
    let Some(made) = TestDatabase::make() else { return };
    let database = made.open();
    database.store().commit(begun("there")).await.unwrap();
    let before = database.writer_counts();
    // All are queued before the first is answered: nothing else runs on this thread.
    let tasks: Vec<_> = commits()
        .into_iter()
        .map(|(commit, expected)| {
            let store = database.store();
            (tokio::spawn(async move { word(store.commit(commit).await) }), expected)
        })
        .collect();
    let mut written = 0;
    for (task, expected) in tasks {
        assert_eq!(task.await.unwrap(), expected);
        written += u64::from(expected == "written");
    }
    let now = database.writer_counts();
    assert_eq!(now.works - before.works, written);
    assert!(now.transactions - before.transactions < written, "they shared transactions: {now:?}");
    let rows = database.store().workspaces().await.unwrap();
    assert_eq!(rows.len() as u64, written + 1);
}
