//! Contract of commits that touch every table: they are written completely or not at all.

use entracte_application::ports::{CommitError, MailId, ResourceChange, StoreError, WorkspaceCommit};
use entracte_domain::id::CallId;

use super::StoreFixture;
use super::durable::tables::{commit_number, commit_numbered, is_whole, shown};
use super::rows::{HOME, begun, call, input, resource};
use super::store::{commit, conflict};

/// If any table refuses a row, no other table contains anything of the commit. If another writer was faster, the error
/// is a conflict, so the caller reloads; a row that can never be written is no conflict.
pub async fn nothing_of_a_refused_commit_is_there(stores: StoreFixture) {
    commit_numbered(&stores, 1).await.unwrap_or_else(|error| panic!("the first commit: {error}"));
    let good = commit_number(&stores, 2).await;
    let before = shown(&stores).await;
    for (table, is_conflict, spoil) in SPOILT {
        let mut bad = good.clone();
        spoil(&mut bad);
        match stores.store.commit(bad).await {
            Err(CommitError::Conflict(_)) if *is_conflict => {}
            Err(CommitError::Store(StoreError::Inconsistent(_))) if !*is_conflict => {}
            Err(other) => panic!("a row of {table} is refused in another way: {other}"),
            Ok(()) => panic!("a row of {table} that cannot be written is written"),
        }
        let after = shown(&stores).await;
        assert!(after == before, "refused for a row of {table}, and there is:\n{after}\nnot:\n{before}");
    }
    commit(&stores, good).await;
    assert_eq!(is_whole(&stores).await, Ok(2));
}

/// The table, whether the error is a conflict, and the corruption of the commit.
type CorruptedCommitCase = (&'static str, bool, fn(&mut WorkspaceCommit));

const SPOILT: &[CorruptedCommitCase] = &[
    ("workspaces", true, |commit| {
        commit.expected_seq = None;
        commit.log.clear();
        commit.changes.clear();
        commit.workspace.seq = 0;
    }),
    ("sessions", true, |commit| commit.sessions[0].1 = Some(9)),
    ("log", true, |commit| commit.log[0].sequence = 1),
    ("calls", false, |commit| {
        commit.calls[0] = call("a", 1, 0);
        commit.calls[0].id = CallId::new("cal_other");
    }),
    ("resources", true, |commit| commit.resources.push(ResourceChange::Create(resource("zone", "z1")))),
    ("answers", true, |commit| commit.answers.push((MailId(i64::from(i32::MAX)), b"done".to_vec()))),
    ("deleted sessions", true, |commit| commit.deleted[0].1 = 9),
    ("automations", true, |commit| commit.automations[0].1 = Some(9)),
    ("occurrences", true, |commit| {
        let twice = commit.occurrences[0].clone();
        commit.occurrences.push(twice);
    }),
    ("deleted automations", true, |commit| commit.deleted_automations[0].1 = 9),
    ("receipts", true, |commit| {
        let twice = commit.receipts[0].clone();
        commit.receipts.push(twice);
    }),
    ("changes", false, |commit| commit.changes[0].0.seq += 1),
];

/// A person who looks for the cause reads which row it was; the machine reads only the kind of error.
pub async fn a_conflict_says_what_was_changed(stores: StoreFixture) {
    commit(&stores, begun(HOME, "a")).await;
    let text = conflict(&stores, input(HOME, "a", 7, 1)).await;
    assert!(text.contains(HOME), "“{text}” does not say which workspace");
    let text = conflict(&stores, input(HOME, "a", 1, 4)).await;
    assert!(text.contains("ses_a"), "“{text}” does not say which session");
}
