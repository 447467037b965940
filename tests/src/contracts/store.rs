//! The contract suite of [`WorkspaceStore`](entracte_application::ports::WorkspaceStore).

use entracte_application::ports::{
    CommitError, ContentBlob, DeletionRow, SessionRow, StoreError, WaitCondition, WakeSchedule,
    WorkspaceCommit,
};
use entracte_domain::ledger_state::LedgerState;
use entracte_domain::session::{EndReason, PhaseLabel, Standing};
use entracte_domain::time::Timestamp;

use super::StoreFixture;
pub use super::atomic_commit::{a_conflict_says_what_was_changed, nothing_of_a_refused_commit_is_there};
pub use super::changes::changes_are_numbered_with_the_log_and_the_latest_are_kept;
pub use super::exact_values::{
    numbers_are_ordered_as_numbers, numbers_keep_every_digit, texts_and_bodies_are_kept_whole,
    texts_differ_by_every_byte,
};
pub use super::instructions::{instructions_are_kept_in_versions, instructions_go_with_what_they_are_about};
pub use super::receipts::{a_receipt_is_kept_once_until_it_is_forgotten, receipt};
use super::rows::{HOME, begun, call, entry, first, input, key, next, session, session_id, workspace};
pub use super::visible_commits::{
    a_dropped_read_leaves_nothing_behind, a_reader_sees_no_half_of_a_commit,
    calls_of_a_store_block_no_other_task,
};

/// Commits; fails the test on an error.
pub async fn commit(stores: &StoreFixture, commit: WorkspaceCommit) {
    stores.store.commit(commit).await.unwrap_or_else(|error| panic!("the commit is written: {error}"));
}

/// Commits, expects a conflict, and returns its text. The store chooses the wording.
pub async fn conflict(stores: &StoreFixture, commit: WorkspaceCommit) -> String {
    match stores.store.commit(commit).await {
        Err(CommitError::Conflict(text)) => text,
        Err(other) => panic!("expected a conflict, got: {other}"),
        Ok(()) => panic!("expected a conflict, and it was written"),
    }
}

/// Commits, and expects a refusal because of the commit's content.
pub async fn refused(stores: &StoreFixture, commit: WorkspaceCommit) {
    match stores.store.commit(commit).await {
        Err(CommitError::Store(StoreError::Inconsistent(_))) => {}
        Err(other) => panic!("expected a refusal, got: {other}"),
        Ok(()) => panic!("expected a refusal, and it was written"),
    }
}

/// Every part of a commit is read back.
pub async fn a_commit_is_read_back_as_it_was_written(stores: StoreFixture) {
    let mut whole = begun(HOME, "a");
    whole.sessions[0].0.wake_at = Some(Timestamp(9));
    whole.sessions[0].0.end_reason = Some(EndReason::Completed);
    whole.log[0].client_key = Some("k1".to_owned());
    whole.calls = vec![call("a", 1, 0)];
    whole.blobs =
        vec![ContentBlob { digest: entracte_domain::id::Digest::new("b1"), bytes: vec![0, 1, 255] }];
    commit(&stores, whole.clone()).await;

    let store = &stores.store;
    assert_eq!(store.workspace(&key(HOME)).await.unwrap(), Some(whole.workspace));
    assert_eq!(store.session(&key(HOME), &session_id("a")).await.unwrap(), Some(whole.sessions[0].0.clone()));
    assert_eq!(stores.log.entries(&key(HOME), &session_id("a"), 0, 9).await.unwrap(), whole.log);
    assert_eq!(stores.log.calls(&key(HOME), &session_id("a")).await.unwrap(), whole.calls);
    assert_eq!(
        stores.log.blob(&key(HOME), &session_id("a"), &whole.blobs[0].digest).await.unwrap(),
        Some(vec![0, 1, 255])
    );
}

/// The later rows replace the earlier ones, including fields that are empty again.
pub async fn a_second_commit_replaces_the_rows(stores: StoreFixture) {
    let mut before = begun(HOME, "a");
    before.sessions[0].0.wake_at = Some(Timestamp(9));
    before.sessions[0].0.waiting = true;
    before.sessions[0].0.placed = true;
    before.sessions[0].0.working = true;
    commit(&stores, before).await;
    let after = input(HOME, "a", 1, 1);
    commit(&stores, after.clone()).await;

    assert_eq!(stores.store.workspace(&key(HOME)).await.unwrap(), Some(after.workspace));
    assert_eq!(
        stores.store.session(&key(HOME), &session_id("a")).await.unwrap(),
        Some(after.sessions[0].0.clone())
    );
    assert_eq!(stores.store.sessions_with_slot_demand(&key(HOME)).await.unwrap(), vec![]);
    assert_eq!(stores.store.due(Timestamp(99)).await.unwrap(), vec![]);
    assert_eq!(stores.store.next_wake(&key(HOME)).await.unwrap(), None);
}

/// `expected_seq` is `None`, but the workspace exists.
pub async fn a_new_workspace_that_is_there_is_a_conflict(stores: StoreFixture) {
    commit(&stores, first(HOME)).await;
    conflict(&stores, first(HOME)).await;
}

/// Another `seq` than expected: lower, higher, and of a workspace that does not exist.
pub async fn another_seq_of_the_workspace_is_a_conflict(stores: StoreFixture) {
    commit(&stores, begun(HOME, "a")).await;
    commit(&stores, input(HOME, "a", 1, 1)).await;
    conflict(&stores, input(HOME, "a", 1, 2)).await;
    conflict(&stores, input(HOME, "a", 7, 2)).await;
    conflict(&stores, next("ann:other", 0)).await;
}

/// A session declared as new exists already.
pub async fn a_new_session_that_is_there_is_a_conflict(stores: StoreFixture) {
    commit(&stores, begun(HOME, "a")).await;
    let mut again = input(HOME, "a", 1, 1);
    again.sessions[0].1 = None;
    conflict(&stores, again).await;
}

/// Another sequence than expected.
pub async fn another_sequence_of_a_session_is_a_conflict(stores: StoreFixture) {
    commit(&stores, begun(HOME, "a")).await;
    conflict(&stores, input(HOME, "a", 1, 4)).await;
}

/// A session declared as existing does not exist.
pub async fn a_session_that_is_not_there_is_a_conflict(stores: StoreFixture) {
    commit(&stores, first(HOME)).await;
    conflict(&stores, input(HOME, "a", 0, 1)).await;
}

/// Earlier rows of the same commit are not written either.
pub async fn a_conflict_writes_nothing(stores: StoreFixture) {
    commit(&stores, begun(HOME, "a")).await;
    let mut wrong = input(HOME, "a", 1, 1);
    wrong.sessions.push((session(HOME, "b", 2), Some(9)));
    wrong.blobs = vec![ContentBlob { digest: entracte_domain::id::Digest::new("b1"), bytes: vec![1] }];
    conflict(&stores, wrong).await;

    assert_eq!(stores.store.workspace(&key(HOME)).await.unwrap(), Some(workspace(HOME, 1)));
    assert_eq!(
        stores.store.session(&key(HOME), &session_id("a")).await.unwrap(),
        Some(session(HOME, "a", 1))
    );
    assert_eq!(stores.log.entry(&key(HOME), 2).await.unwrap(), None);
    // The versions are unchanged, so the correct commit succeeds.
    commit(&stores, input(HOME, "a", 1, 1)).await;
}

/// The log has no gaps.
pub async fn a_gap_in_the_log_is_refused(stores: StoreFixture) {
    let mut gap = begun(HOME, "a");
    gap.log[0].seq = 2;
    gap.workspace.seq = 2;
    refused(&stores, gap).await;
    assert_eq!(stores.store.workspace(&key(HOME)).await.unwrap(), None);
}

/// The workspace's `seq` is the number of its last entry.
pub async fn a_seq_beyond_the_log_is_refused(stores: StoreFixture) {
    let mut beyond = begun(HOME, "a");
    beyond.workspace.seq = 2;
    refused(&stores, beyond).await;
}

/// One input of a session is one entry.
pub async fn two_entries_of_one_sequence_are_a_conflict(stores: StoreFixture) {
    commit(&stores, begun(HOME, "a")).await;
    let mut twice = input(HOME, "a", 1, 1);
    twice.log[0].sequence = 1;
    conflict(&stores, twice).await;
}

/// A message that was taken in once is not taken in again.
pub async fn two_entries_of_one_client_key_are_a_conflict(stores: StoreFixture) {
    let mut one = begun(HOME, "a");
    one.log[0].client_key = Some("k1".to_owned());
    commit(&stores, one).await;
    let mut two = input(HOME, "a", 1, 1);
    two.log[0].client_key = Some("k1".to_owned());
    conflict(&stores, two).await;
}

/// Client keys are unique per session only, and several entries may have no key.
pub async fn one_client_key_in_two_sessions_is_fine(stores: StoreFixture) {
    let mut one = begun(HOME, "a");
    one.log[0].client_key = Some("k1".to_owned());
    commit(&stores, one).await;
    let mut other = input(HOME, "b", 1, 0);
    other.sessions[0].1 = None;
    other.log[0].client_key = Some("k1".to_owned());
    commit(&stores, other).await;
    commit(&stores, input(HOME, "b", 2, 1)).await;
    commit(&stores, input(HOME, "b", 3, 2)).await;
}

/// A commit belongs to one workspace.
pub async fn a_session_in_the_commit_of_another_workspace_is_refused(stores: StoreFixture) {
    let mut stray = first(HOME);
    stray.sessions = vec![(session("bob:work", "a", 1), None)];
    refused(&stores, stray).await;
}

/// The same call again updates its row.
pub async fn a_call_is_changed_in_its_place(stores: StoreFixture) {
    let mut asked = begun(HOME, "a");
    asked.calls = vec![call("a", 1, 0), call("a", 1, 1)];
    commit(&stores, asked).await;
    let mut done = call("a", 1, 1);
    done.state = LedgerState::Succeeded;
    done.attempt = 1;
    done.finished_at = Some(Timestamp(7));
    done.result_seq = Some(2);
    done.body = b"done".to_vec();
    let mut outcome = input(HOME, "a", 1, 1);
    outcome.calls = vec![done.clone()];
    commit(&stores, outcome).await;
    assert_eq!(stores.log.calls(&key(HOME), &session_id("a")).await.unwrap(), vec![call("a", 1, 0), done]);
}

/// Two calls cannot have one position in one reply.
pub async fn a_call_in_the_place_of_another_is_refused(stores: StoreFixture) {
    let mut asked = begun(HOME, "a");
    asked.calls = vec![call("a", 1, 0)];
    commit(&stores, asked).await;
    let mut other = input(HOME, "a", 1, 1);
    other.calls = vec![call("a", 1, 0)];
    other.calls[0].id = entracte_domain::id::CallId::new("cal_other");
    refused(&stores, other).await;
    assert_eq!(stores.log.calls(&key(HOME), &session_id("a")).await.unwrap(), vec![call("a", 1, 0)]);
}

/// Of eight commits on one version, one is written and seven get a conflict.
pub async fn commits_at_once_on_one_version_one_wins(stores: StoreFixture) {
    commit(&stores, begun(HOME, "a")).await;
    let tasks: Vec<_> = (0..8)
        .map(|_| {
            let store = std::sync::Arc::clone(&stores.store);
            tokio::spawn(async move { store.commit(input(HOME, "a", 1, 1)).await })
        })
        .collect();
    let (mut written, mut conflicts) = (0, 0);
    for task in tasks {
        match task.await.expect("no task panics") {
            Ok(()) => written += 1,
            Err(CommitError::Conflict(_)) => conflicts += 1,
            Err(other) => panic!("neither written nor a conflict: {other}"),
        }
    }
    assert_eq!((written, conflicts), (1, 7));
    assert_eq!(stores.log.entries(&key(HOME), &session_id("a"), 0, 99).await.unwrap().len(), 2);
}

/// Independent commits are all written, each in the order of its workspace.
pub async fn commits_of_many_workspaces_at_once_are_all_there(stores: StoreFixture) {
    let tasks: Vec<_> = (0..6)
        .map(|n| {
            let store = std::sync::Arc::clone(&stores.store);
            tokio::spawn(async move {
                let (workspace, stem) = (format!("user{n}:home"), format!("s{n}"));
                store.commit(begun(&workspace, &stem)).await?;
                for seq in 1..5 {
                    store.commit(input(&workspace, &stem, seq, seq)).await?;
                }
                Ok::<(), CommitError>(())
            })
        })
        .collect();
    for task in tasks {
        task.await.expect("no task panics").expect("every commit is written");
    }
    for n in 0..6 {
        let entries = stores
            .log
            .entries(&key(&format!("user{n}:home")), &session_id(&format!("s{n}")), 0, 99)
            .await
            .unwrap();
        let expected: Vec<_> = (1..=5).map(|seq| entry(&format!("s{n}"), seq, seq)).collect();
        assert_eq!(entries, expected);
    }
}

/// Ordered by key, regardless of creation order.
pub async fn workspaces_come_by_key(stores: StoreFixture) {
    for workspace_key in ["b:x", "a:z", "a:B"] {
        commit(&stores, first(workspace_key)).await;
    }
    let found = stores.store.workspaces().await.unwrap();
    assert_eq!(found, vec![workspace("a:B", 0), workspace("a:z", 0), workspace("b:x", 0)]);
}

/// A missing row is `None`, not an error.
pub async fn what_was_never_committed_is_none(stores: StoreFixture) {
    assert_eq!(stores.store.workspace(&key(HOME)).await.unwrap(), None);
    assert_eq!(stores.store.workspaces().await.unwrap(), vec![]);
    assert_eq!(stores.store.session(&key(HOME), &session_id("a")).await.unwrap(), None);
    assert_eq!(stores.store.sessions_with_slot_demand(&key(HOME)).await.unwrap(), vec![]);
    assert_eq!(stores.store.next_wake(&key(HOME)).await.unwrap(), None);
    assert_eq!(stores.log.entries(&key(HOME), &session_id("a"), 0, 9).await.unwrap(), vec![]);
    assert_eq!(stores.log.call(&key(HOME), &session_id("a").call_id(1, 0)).await.unwrap(), None);
}

/// Only placed sessions of the workspace.
pub async fn placed_gives_the_sessions_of_its_workspace_that_hold_or_want_a_slot(stores: StoreFixture) {
    let mut home = first(HOME);
    home.sessions = vec![(session(HOME, "a", 1), None), (session(HOME, "b", 1), None)];
    home.sessions[1].0.placed = true;
    let mut work = first("bob:work");
    work.sessions = vec![(session("bob:work", "c", 1), None)];
    work.sessions[0].0.placed = true;
    let expected = home.sessions[1].0.clone();
    commit(&stores, home).await;
    commit(&stores, work).await;
    assert_eq!(stores.store.sessions_with_slot_demand(&key(HOME)).await.unwrap(), vec![expected]);
}

/// A session that is working or not, and has a wake-up time or not; its last input is long ago.
fn waking(workspace_key: &str, stem: &str, working: bool, wake_at: Option<i64>) -> (SessionRow, Option<u64>) {
    let row = session(workspace_key, stem, 1);
    (SessionRow { working, wake_at: wake_at.map(Timestamp), last_activity: Timestamp(1), ..row }, None)
}

/// Of all workspaces; a session that works and must wake is returned once.
pub async fn due_gives_what_works_and_what_must_wake_once_each(stores: StoreFixture) {
    let mut made = first(HOME);
    for (stem, working, wake_at) in [
        ("a", true, None),
        ("b", false, Some(10)),
        ("c", false, Some(11)),
        ("d", true, Some(9)),
        ("e", false, None),
    ] {
        made.sessions.push(waking(HOME, stem, working, wake_at));
    }
    commit(&stores, made).await;
    let mut due = stores.store.due(Timestamp(10)).await.unwrap();
    due.sort();
    assert_eq!(due, ["a", "b", "d"].map(|stem| (key(HOME), session_id(stem))).to_vec());
}

/// A deadline of a session whose last input lies in the future may be due at any time; without a deadline, nothing is
/// due.
pub async fn a_clock_that_was_set_back_makes_deadlines_due(stores: StoreFixture) {
    let mut made = first(HOME);
    made.sessions = ["a", "b", "c"].map(|stem| waking(HOME, stem, false, Some(90))).to_vec();
    for ((row, _), at) in made.sessions.iter_mut().zip([51, 50, 51]) {
        row.last_activity = Timestamp(at);
    }
    made.sessions[2].0.wake_at = None;
    commit(&stores, made).await;
    assert_eq!(stores.store.due(Timestamp(50)).await.unwrap(), [(key(HOME), session_id("a"))]);
    assert_eq!(stores.store.due_sessions_in(&key(HOME), Timestamp(50)).await.unwrap(), [session_id("a")]);
}

/// Like the due sessions of all workspaces, restricted to one.
pub async fn due_in_gives_those_of_its_workspace(stores: StoreFixture) {
    for workspace_key in [HOME, "bob:work"] {
        let stem = |name: &str| format!("{}{name}", &workspace_key[..1]);
        let mut made = first(workspace_key);
        made.sessions = vec![
            waking(workspace_key, &stem("1"), true, Some(10)),
            waking(workspace_key, &stem("2"), false, Some(10)),
            waking(workspace_key, &stem("3"), false, Some(11)),
            waking(workspace_key, &stem("4"), true, None),
        ];
        commit(&stores, made).await;
    }
    let mut due = stores.store.due_sessions_in(&key(HOME), Timestamp(10)).await.unwrap();
    due.sort();
    assert_eq!(due, ["a1", "a2", "a4"].map(session_id));
    assert_eq!(stores.store.due_sessions_in(&key("eve:none"), Timestamp(10)).await.unwrap(), []);
}

/// Each workspace with an expired deadline once, ordered by key, and the first future deadline of any workspace. Work
/// is no deadline.
pub async fn agenda_gives_the_workspaces_that_are_due_and_the_next_instant(stores: StoreFixture) {
    for (workspace_key, sessions) in [
        ("bob:work", vec![("b1", false, Some(10)), ("b2", true, Some(9)), ("b3", false, Some(40))]),
        (HOME, vec![("a1", false, Some(10)), ("a2", false, Some(11))]),
        ("cid:work", vec![("c1", false, Some(30)), ("c2", true, None)]),
    ] {
        let sessions =
            sessions.into_iter().map(|(stem, working, at)| waking(workspace_key, stem, working, at));
        commit(&stores, WorkspaceCommit { sessions: sessions.collect(), ..first(workspace_key) }).await;
    }
    let agenda = |due: &[&str], next: Option<i64>| WakeSchedule {
        due: due.iter().copied().map(key).collect(),
        next: next.map(Timestamp),
    };
    for (now, expected) in [
        (8, agenda(&[], Some(9))),
        (10, agenda(&[HOME, "bob:work"], Some(11))),
        (29, agenda(&[HOME, "bob:work"], Some(30))),
        (40, agenda(&[HOME, "bob:work", "cid:work"], None)),
    ] {
        assert_eq!(stores.store.wake_schedule(Timestamp(now)).await.unwrap(), expected, "at {now}");
    }
}

/// Each workspace once, ordered by key; sessions that are not placed do not count.
pub async fn waiting_gives_the_workspaces_where_a_placed_session_waits(stores: StoreFixture) {
    let network = WaitCondition::PHASE;
    for (workspace_key, stem, standing, phase, placed) in [
        ("bob:work", "b", Standing::Suspended, PhaseLabel::CallingAi, true),
        (HOME, "a", Standing::Queued, network, true),
        ("cid:work", "c", Standing::Queued, network, false),
        ("dan:work", "d", Standing::Active, network, true),
        ("eve:work", "e", Standing::Active, PhaseLabel::CallingAi, true),
    ] {
        let mut made = first(workspace_key);
        made.sessions = vec![waking(workspace_key, stem, false, None)];
        let row = &mut made.sessions[0].0;
        (row.standing, row.phase, row.placed) = (standing, phase, placed);
        commit(&stores, made).await;
    }
    let waiting = |what| stores.store.waiting(what);
    assert_eq!(waiting(WaitCondition::Slot).await.unwrap(), [key(HOME), key("bob:work")]);
    assert_eq!(waiting(WaitCondition::Network).await.unwrap(), [key(HOME), key("dan:work")]);
}

/// The earliest of its workspace, past or future.
pub async fn next_wake_is_the_earliest_of_its_workspace(stores: StoreFixture) {
    for (workspace_key, stem, wake_at) in
        [(HOME, "a", Some(30)), ("bob:work", "b", Some(10)), ("eve:none", "c", None)]
    {
        let mut made = first(workspace_key);
        made.sessions = vec![(session(workspace_key, stem, 1), None)];
        made.sessions[0].0.wake_at = wake_at.map(Timestamp);
        made.sessions.push((session(workspace_key, &format!("{stem}2"), 1), None));
        made.sessions[1].0.wake_at = wake_at.map(|at| Timestamp(at + 5));
        commit(&stores, made).await;
    }
    assert_eq!(stores.store.next_wake(&key(HOME)).await.unwrap(), Some(Timestamp(30)));
    assert_eq!(stores.store.next_wake(&key("eve:none")).await.unwrap(), None);
}

/// A commit that creates a session in a workspace at `seq`.
fn joining(stem: &str, seq: u64) -> WorkspaceCommit {
    WorkspaceCommit {
        workspace: workspace(HOME, seq + 1),
        sessions: vec![(session(HOME, stem, 1), None)],
        log: vec![entry(stem, seq + 1, 1)],
        ..next(HOME, seq)
    }
}

/// Nothing of it remains, other sessions of the workspace are unchanged, and the log continues.
pub async fn a_deleted_session_is_gone_with_its_entries_and_calls(stores: StoreFixture) {
    let mut gone = begun(HOME, "a");
    gone.calls = vec![call("a", 1, 0)];
    commit(&stores, gone).await;
    let stays = joining("b", 1);
    commit(&stores, stays.clone()).await;

    let mut deletion =
        WorkspaceCommit { expected_seq: Some(2), workspace: workspace(HOME, 2), ..first(HOME) };
    deletion.deleted = vec![(session_id("a"), 1)];
    commit(&stores, deletion).await;

    assert_eq!(stores.store.session(&key(HOME), &session_id("a")).await.unwrap(), None);
    assert_eq!(stores.log.entries(&key(HOME), &session_id("a"), 0, 9).await.unwrap(), []);
    assert_eq!(stores.log.calls(&key(HOME), &session_id("a")).await.unwrap(), []);
    assert_eq!(stores.log.entry(&key(HOME), 1).await.unwrap(), None);
    assert_eq!(stores.log.entries(&key(HOME), &session_id("b"), 0, 9).await.unwrap(), stays.log);
    commit(&stores, joining("a", 2)).await;
    assert_eq!(stores.log.entries(&key(HOME), &session_id("a"), 0, 9).await.unwrap().len(), 1);
}

/// A policy that deletes many sessions pushes out its own records only.
pub async fn records_of_the_policy_push_out_no_persons(stores: StoreFixture) {
    let record = |author: &str, number: i64| DeletionRow {
        session: session_id(&format!("d{number}")),
        at: Timestamp(number),
        author: author.to_owned(),
        body: Vec::new(),
    };
    let by_policy = |number| record(DeletionRow::POLICY_AUTHOR, number);
    commit(&stores, first(HOME)).await;
    let mut deletions = vec![(record("ann", 0), 1_000)];
    deletions.extend((1..=1_001).map(|number| (by_policy(number), 1_000)));
    commit(&stores, WorkspaceCommit { deletions, ..next(HOME, 0) }).await;
    let left = stores.log.deletions(&key(HOME), 2_000).await.unwrap();
    assert_eq!(left.len(), 1_001);
    assert_eq!(left.last(), Some(&record("ann", 0)));
    assert_eq!((left.first(), left.get(999)), (Some(&by_policy(1_001)), Some(&by_policy(2))));
}

/// The latest records of one workspace stay; other workspaces keep theirs. A refused commit leaves no record.
pub async fn of_deleted_sessions_the_latest_records_are_kept(stores: StoreFixture) {
    let record = |stem: &str, at: i64| DeletionRow {
        session: session_id(stem),
        at: Timestamp(at),
        author: "ann".to_owned(),
        body: stem.as_bytes().to_vec(),
    };
    let gone = |stem: &str, at: i64, keep: u32| WorkspaceCommit {
        deletions: vec![(record(stem, at), keep)],
        ..next(HOME, 0)
    };
    commit(&stores, first("eve:other")).await;
    commit(&stores, WorkspaceCommit { deletions: vec![(record("e", 1), 1)], ..next("eve:other", 0) }).await;
    commit(&stores, first(HOME)).await;
    for (stem, at) in [("a", 5), ("b", 4), ("a", 6)] {
        commit(&stores, gone(stem, at, 0)).await;
    }
    let home = key(HOME);
    let all = |limit| stores.log.deletions(&home, limit);
    assert_eq!(all(9).await.unwrap(), [record("a", 6), record("b", 4), record("a", 5)]);
    assert_eq!(all(1).await.unwrap(), [record("a", 6)]);
    commit(&stores, gone("c", 7, 2)).await;
    assert_eq!(all(9).await.unwrap(), [record("c", 7), record("a", 6)]);
    let refused = WorkspaceCommit { deleted: vec![(session_id("none"), 1)], ..gone("none", 8, 2) };
    conflict(&stores, refused).await;
    assert_eq!(all(9).await.unwrap(), [record("c", 7), record("a", 6)]);
    assert_eq!(stores.log.deletions(&key("eve:other"), 9).await.unwrap(), [record("e", 1)]);
    assert_eq!(stores.log.deletions(&key("eve:never-committed-to"), 9).await.unwrap(), []);
}

/// A deletion must name the current sequence of the session.
pub async fn a_deletion_of_another_sequence_is_a_conflict(stores: StoreFixture) {
    commit(&stores, begun(HOME, "a")).await;
    let mut deletion =
        WorkspaceCommit { expected_seq: Some(1), workspace: workspace(HOME, 1), ..first(HOME) };
    deletion.deleted = vec![(session_id("a"), 7)];
    conflict(&stores, deletion.clone()).await;
    deletion.deleted = vec![(session_id("never"), 1)];
    conflict(&stores, deletion).await;
    assert!(stores.store.session(&key(HOME), &session_id("a")).await.unwrap().is_some());
}
