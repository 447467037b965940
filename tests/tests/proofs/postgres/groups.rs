//! Commits that wait at the same time share a transaction on a server too, and a failing one fails alone.

use entracte_adapters_db::{Database, DatabaseOptions};
use entracte_application::ports::{CommitError, InboxRow, InboxRowKind, WorkspaceCommit};
use entracte_domain::id::{SessionId, WorkspaceKey};
use entracte_domain::time::Timestamp;
use entracte_tests::postgres::TestDatabase;
use entracte_tests::postgres_proxy::PostgresFaultProxy;

use super::{at_work, begun};

/// Commits of which every third conflicts, and every fifth cannot be stored.
fn commits() -> Vec<(WorkspaceCommit, &'static str)> {
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
async fn failing_commit_fails_alone_in_group() {
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

/// The outcomes of commits that are all queued before the first is answered.
async fn outcomes(
    database: &Database,
    commits: impl IntoIterator<Item = WorkspaceCommit>,
) -> Vec<&'static str> {
    let tasks: Vec<_> = commits
        .into_iter()
        .map(|commit| {
            let store = database.store();
            tokio::spawn(async move { word(store.commit(commit).await) })
        })
        .collect();
    let mut words = Vec::new();
    for task in tasks {
        words.push(task.await.unwrap());
    }
    words
}

/// The stored rows of a workspace and its one session: their numbers, the log entries, the calls.
async fn stored(database: &Database, stem: &str) -> String {
    let (key, id) = (WorkspaceKey::new(format!("ann:{stem}")), SessionId::new(format!("ses_{stem}")));
    let store = database.store();
    let seq = store.workspace(&key).await.unwrap().unwrap().seq;
    let sequence = store.session(&key, &id).await.unwrap().unwrap().sequence;
    let reader = database.log_reader();
    let entries = reader.entries(&key, &id, 0, 9).await.unwrap().len();
    let calls = reader.calls(&key, &id).await.unwrap().len();
    format!("{seq} {sequence}, {entries} entries, {calls} calls")
}

#[tokio::test]
async fn a_group_of_sessions_at_work_is_one_question_to_the_server() {
    let Some(made) = TestDatabase::make() else { return };
    let proxy = PostgresFaultProxy::to(&made);
    let database = Database::open(proxy.url(), DatabaseOptions::default()).unwrap();
    let stems: Vec<String> = (0..30).map(|number| format!("w{number}")).collect();
    assert_eq!(outcomes(&database, stems.iter().map(|stem| begun(stem))).await, ["written"; 30]);
    let before = proxy.asked();
    assert_eq!(outcomes(&database, stems.iter().map(|stem| at_work(stem))).await, ["written"; 30]);
    // The first may be committed alone; the statement is prepared once.
    let asked = proxy.asked() - before;
    assert!(asked <= 5, "{asked} questions for 30 commits");
    for stem in &stems {
        assert_eq!(stored(&database, stem).await, "2 2, 2 entries, 1 calls");
    }
}

/// The commit of this version of a session, which then waits for the answer to a question asked at this instant, or for
/// nobody.
fn waiting(stem: &str, version: u64, asked_at: Option<i64>) -> WorkspaceCommit {
    let mut commit = at_work(stem);
    commit.calls.clear();
    (commit.workspace.seq, commit.expected_seq) = (version, Some(version - 1));
    (commit.log[0].seq, commit.log[0].sequence) = (version, version);
    let (row, expected) = &mut commit.sessions[0];
    (row.sequence, row.waiting, *expected) = (version, asked_at.is_some(), Some(version - 1));
    let session = row.id.clone();
    commit.inbox = asked_at.map(|at| question(&session, at)).into_iter().collect();
    commit
}

fn question(session: &SessionId, asked_at: i64) -> InboxRow {
    InboxRow {
        session: session.clone(),
        item: InboxRowKind::Question.item_id(session.as_str()),
        kind: InboxRowKind::Question,
        asked_at: Timestamp(asked_at),
        due_at: None,
        command: None,
    }
}

/// Input: sessions that ask, that go on while they ask, and that were answered; expected: each time one question to the
/// server for all of them, and the items that wait, since they were first asked.
#[tokio::test]
async fn waiting_sessions_join_a_group() {
    let Some(made) = TestDatabase::make() else { return };
    let proxy = PostgresFaultProxy::to(&made);
    let database = Database::open(proxy.url(), DatabaseOptions::default()).unwrap();
    let stems: Vec<String> = (0..30).map(|number| format!("w{number}")).collect();
    outcomes(&database, stems.iter().map(|stem| begun(stem))).await;
    let reader = database.log_reader();
    for (version, asked_at, since) in [(2, Some(5), Some(5)), (3, Some(7), Some(5)), (4, None, None)] {
        let before = proxy.asked();
        let commits = stems.iter().map(|stem| waiting(stem, version, asked_at));
        assert_eq!(outcomes(&database, commits).await, ["written"; 30]);
        let asked = proxy.asked() - before;
        assert!(asked <= 5, "{asked} questions for 30 commits");
        for stem in &stems {
            let session = SessionId::new(format!("ses_{stem}"));
            let waits = reader.inbox_rows(&WorkspaceKey::new(format!("ann:{stem}"))).await.unwrap();
            assert_eq!(waits, Some(since.map(|at| question(&session, at)).into_iter().collect()));
        }
    }
}

#[tokio::test]
async fn conflicting_session_fails_alone_in_group() {
    let Some(made) = TestDatabase::make() else { return };
    let database = made.open();
    let stems: Vec<String> = (0..30).map(|number| format!("w{number}")).collect();
    outcomes(&database, stems.iter().map(|stem| begun(stem))).await;
    // In every fifth commit the workspace, its session, its entry, or its call differs from the expected one.
    let commits = stems.iter().enumerate().map(|(number, stem)| {
        let mut commit = at_work(stem);
        match number % 20 {
            0 => (commit.expected_seq, commit.workspace.seq, commit.log[0].seq) = (Some(2), 3, 3),
            5 => commit.sessions[0].1 = Some(4),
            10 => commit.log[0].sequence = 1,
            15 => commit.sessions[0].0.name = "a\0b".to_owned(),
            _ => {}
        }
        commit
    });
    let expected = |number: usize| match number % 20 {
        0 | 5 | 10 => "conflict",
        15 => "refused",
        _ => "written",
    };
    assert_eq!(outcomes(&database, commits).await, (0..30).map(expected).collect::<Vec<_>>());
    for (number, stem) in stems.iter().enumerate() {
        let is_there = expected(number) == "written";
        let wanted = if is_there { "2 2, 2 entries, 1 calls" } else { "1 1, 1 entries, 0 calls" };
        assert_eq!(stored(&database, stem).await, wanted, "{stem}");
    }
}
