//! Group commit: what waits together is written together, and what fails does not take the others with it.
//! A gate keeps the writer busy until all of a group are queued, so that no test depends on who is faster.

use std::cell::Cell;
use std::sync::mpsc;
use std::sync::{Arc, Mutex};

use diesel::connection::{Connection, SimpleConnection};
use entracte_application::failpoints::FailpointOperation;
use entracte_application::ports::{CommitError, ContentBlob, ResourceChange, ResourceRow, WorkspaceCommit};
use entracte_domain::id::{Digest, WorkspaceKey};
use entracte_domain::time::{Millis, Timestamp};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use super::WriteJob;
use crate::connection::{ConnectionRole, DbConnection};
use crate::db_error::DbError;
use crate::queries::mail;
use crate::tests::statement_costs::{StatementTrace, recorder};
use crate::tests::{begun, input, open, place};
use crate::{Database, DatabaseOptions, WriterCounts};

thread_local! {
    static LIE: Cell<bool> = const { Cell::new(false) };
}

/// Says once that a COMMIT failed, though it did not, when a [`ClosureWriteJob`] asked for that.
pub(super) fn lie_about_commit() -> Result<(), String> {
    if LIE.take() { Err("disk I/O error".to_owned()) } else { Ok(()) }
}

/// Work from a closure, that cannot tell whether it landed.
struct ClosureWriteJob<F>(F);

impl<F: Fn(&mut DbConnection) -> Result<(), DbError> + Send + 'static> WriteJob for ClosureWriteJob<F> {
    type Answer = ();

    const OPERATION: FailpointOperation = FailpointOperation::Commit;

    fn run(&self, conn: &mut DbConnection) -> Result<(), DbError> {
        (self.0)(conn)
    }

    fn is_committed(&self, _: &mut DbConnection, (): &()) -> Result<bool, DbError> {
        Ok(false)
    }
}

/// Keeps the writer busy from `shut` until `open`.
struct WriterGate {
    open: mpsc::Sender<()>,
    passed: JoinHandle<Result<(), DbError>>,
}

impl WriterGate {
    async fn shut(database: &Database) -> Self {
        let (entered, reached) = oneshot::channel();
        let (open, opened) = mpsc::channel();
        let state = Mutex::new((Some(entered), opened));
        let work = ClosureWriteJob(move |_: &mut DbConnection| {
            let mut state = state.lock().expect("nobody panicked");
            if let Some(entered) = state.0.take() {
                entered.send(()).expect("the test waits");
            }
            state.1.recv().expect("the gate is opened");
            Ok(())
        });
        let passed = start(database, work);
        reached.await.expect("the writer is at the gate");
        Self { open, passed }
    }

    /// Lets the writer go on, once everything that was started is queued.
    async fn open(self) {
        tokio::task::yield_now().await;
        self.open.send(()).expect("the writer is at the gate");
        self.passed.await.expect("no panic").expect("it passes");
    }
}

fn start<W: WriteJob>(database: &Database, work: W) -> JoinHandle<Result<W::Answer, DbError>> {
    let database = database.clone();
    tokio::spawn(async move { database.write(work).await })
}

fn commit(database: &Database, commit: WorkspaceCommit) -> JoinHandle<Result<(), CommitError>> {
    let store = database.store();
    tokio::spawn(async move { store.commit(commit).await })
}

async fn outcome<T>(task: JoinHandle<T>) -> T {
    task.await.expect("no panic")
}

/// The outcome as text, for comparison.
async fn word(task: JoinHandle<Result<(), CommitError>>) -> String {
    outcome(task).await.map_or_else(|error| error.to_string(), |()| "written".to_owned())
}

async fn stored(database: &Database) -> Vec<String> {
    let rows = database.store().workspaces().await.expect("they are read");
    rows.into_iter().map(|row| format!("{} {}", row.key, row.seq)).collect()
}

fn since(before: WriterCounts, database: &Database) -> (u64, u64) {
    let now = database.writer_counts();
    (now.transactions - before.transactions, now.works - before.works)
}

fn large(stem: &str) -> WorkspaceCommit {
    let mut commit = begun(stem);
    commit.blobs = vec![ContentBlob { digest: Digest::new("large"), bytes: vec![7; 1_000_000] }];
    commit
}

fn half_a_parent(stem: &str) -> WorkspaceCommit {
    let row = ResourceRow {
        kind: "tool".to_owned(),
        id: "t1".to_owned(),
        parent: Some("z1".to_owned()),
        parent_kind: None,
        name: String::new(),
        at: None,
        version: 1,
        body: String::new(),
        created_at: Timestamp(1),
        updated_at: Timestamp(1),
    };
    WorkspaceCommit { resources: vec![ResourceChange::Create(row)], ..begun(stem) }
}

#[tokio::test]
async fn commits_that_wait_together_share_one_transaction() {
    let (_directory, path) = place();
    let database = open(&path);
    let before = database.writer_counts();
    let gate = WriterGate::shut(&database).await;
    let tasks = ["a", "b", "c", "d"].map(|stem| commit(&database, begun(stem)));
    let next = commit(&database, input("a"));
    gate.open().await;
    for task in tasks {
        assert_eq!(word(task).await, "written");
    }
    assert_eq!(word(next).await, "written");
    // The gate's transaction, and one for all five.
    assert_eq!(since(before, &database), (2, 6));
    assert_eq!(stored(&database).await, ["ann:a 2", "ann:b 1", "ann:c 1", "ann:d 1"]);
}

#[tokio::test]
async fn a_group_is_no_larger_than_the_options_say() {
    let (_directory, path) = place();
    let options = DatabaseOptions { group: 2, ..DatabaseOptions::default() };
    let database = Database::open_at(path.into(), options).expect("it opens");
    let before = database.writer_counts();
    let gate = WriterGate::shut(&database).await;
    let tasks = ["a", "b", "c"].map(|stem| commit(&database, begun(stem)));
    gate.open().await;
    for task in tasks {
        assert_eq!(word(task).await, "written");
    }
    assert_eq!(since(before, &database), (3, 4));
}

#[tokio::test]
async fn a_full_queue_makes_callers_wait_and_loses_nothing() {
    let (_directory, path) = place();
    let options = DatabaseOptions { queue: 1, ..DatabaseOptions::default() };
    let database = Database::open_at(path.into(), options).expect("it opens");
    let gate = WriterGate::shut(&database).await;
    let tasks = ["a", "b", "c"].map(|stem| commit(&database, begun(stem)));
    gate.open().await;
    for task in tasks {
        assert_eq!(word(task).await, "written");
    }
}

#[tokio::test]
async fn a_conflict_in_the_middle_undoes_itself_only() {
    let (_directory, path) = place();
    let database = open(&path);
    let before = database.writer_counts();
    let gate = WriterGate::shut(&database).await;
    let tasks = [begun("a"), begun("a"), begun("b")].map(|work| commit(&database, work));
    gate.open().await;
    let [first, conflict, last] = tasks;
    assert_eq!(word(first).await, "written");
    let text = "workspace ann:a (expected none, found one) was changed by another writer";
    assert_eq!(word(conflict).await, text);
    assert_eq!(word(last).await, "written");
    assert_eq!(since(before, &database), (2, 3));
}

#[tokio::test]
async fn a_broken_constraint_in_the_middle_undoes_itself_only() {
    let (_directory, path) = place();
    let database = open(&path);
    let before = database.writer_counts();
    let gate = WriterGate::shut(&database).await;
    let tasks = [begun("a"), half_a_parent("b"), begun("c")].map(|work| commit(&database, work));
    gate.open().await;
    let [first, broken, last] = tasks;
    assert_eq!(word(first).await, "written");
    assert!(word(broken).await.contains("CHECK constraint failed"));
    assert_eq!(word(last).await, "written");
    assert_eq!(since(before, &database), (2, 3));
    assert_eq!(stored(&database).await, ["ann:a 1", "ann:c 1"]);
}

#[tokio::test]
async fn a_panic_in_the_middle_undoes_itself_only_and_the_writer_lives() {
    let (_directory, path) = place();
    let database = open(&path);
    let before = database.writer_counts();
    let gate = WriterGate::shut(&database).await;
    let first = commit(&database, begun("a"));
    let panics = start(
        &database,
        ClosureWriteJob(|conn: &mut DbConnection| {
            mail::post(conn, &WorkspaceKey::new("ann:a"), b"lost", Timestamp(1))?;
            panic!("on purpose");
        }),
    );
    let last = commit(&database, begun("b"));
    gate.open().await;
    assert_eq!(word(first).await, "written");
    let fault = outcome(panics).await.expect_err("it panicked");
    assert_eq!(fault.to_string(), "a panic while writing: on purpose");
    assert_eq!(word(last).await, "written");
    assert_eq!(since(before, &database), (2, 3));
    assert_eq!(database.mail_store().unanswered().await.expect("it is read"), vec![]);
    assert_eq!(word(commit(&database, begun("c"))).await, "written");
}

/// What the writer says to begin and to end something, from the next transaction on, until the database is closed.
async fn watched(database: &Database) -> Arc<Mutex<StatementTrace>> {
    let seen = Arc::new(Mutex::new(StatementTrace::default()));
    let watch = Arc::clone(&seen);
    let watch = ClosureWriteJob(move |conn: &mut DbConnection| {
        conn.set_instrumentation(recorder(Arc::clone(&watch)));
        Ok(())
    });
    outcome(start(database, watch)).await.expect("it is watched");
    seen.lock().expect("nobody panicked").run.clear();
    seen
}

fn said(seen: &Mutex<StatementTrace>) -> Vec<String> {
    let words = ["BEGIN", "SAVEPOINT", "RELEASE", "ROLLBACK", "COMMIT"];
    let seen = seen.lock().expect("nobody panicked");
    let first = |text: &String| text.split(' ').next().unwrap_or_default().to_owned();
    seen.run.iter().filter(|text| words.contains(&first(text).as_str())).cloned().collect()
}

/// Work that counts how often it is done, and then ends as it is told to.
fn counted(
    end: impl Fn() -> Result<(), DbError> + Send + 'static,
) -> (impl WriteJob<Answer = ()>, mpsc::Receiver<()>) {
    let (done, times) = mpsc::channel();
    let work = ClosureWriteJob(move |conn: &mut DbConnection| {
        done.send(()).expect("the test counts");
        mail::post(conn, &WorkspaceKey::new("ann:a"), b"lost", Timestamp(1))?;
        end()
    });
    (work, times)
}

/// One alone: the gate.
const ALONE: [&str; 2] = ["BEGIN IMMEDIATE", "COMMIT"];

#[tokio::test]
async fn a_group_that_stands_needs_no_savepoints() {
    let (_directory, path) = place();
    let database = open(&path);
    let seen = watched(&database).await;
    let gate = WriterGate::shut(&database).await;
    let tasks = [begun("a"), begun("b"), input("a")].map(|work| commit(&database, work));
    gate.open().await;
    for task in tasks {
        assert_eq!(word(task).await, "written");
    }
    assert_eq!(said(&seen), [ALONE, ALONE].concat());
}

#[tokio::test]
async fn a_group_in_which_one_is_refused_is_undone_and_written_in_savepoints() {
    let (_directory, path) = place();
    let database = open(&path);
    let seen = watched(&database).await;
    let before = database.writer_counts();
    let gate = WriterGate::shut(&database).await;
    let first = commit(&database, begun("a"));
    let (refused, times) = counted(|| Err(DbError::Conflict("on purpose".to_owned())));
    let refused = start(&database, refused);
    let last = commit(&database, begun("b"));
    gate.open().await;
    assert_eq!(word(first).await, "written");
    assert_eq!(outcome(refused).await.expect_err("it is refused").to_string(), "on purpose");
    assert_eq!(word(last).await, "written");
    assert_eq!(times.try_iter().count(), 2, "without a savepoint, and in one");
    let tried = ["BEGIN IMMEDIATE", "ROLLBACK"];
    let again = ["BEGIN IMMEDIATE", "SAVEPOINT work", "RELEASE work", "SAVEPOINT work", "ROLLBACK TO work"];
    let ended = ["RELEASE work", "SAVEPOINT work", "RELEASE work", "COMMIT"];
    assert_eq!(said(&seen), [&ALONE[..], &tried, &again, &ended].concat());
    // The gate's transaction, and one for the two that stand.
    assert_eq!(since(before, &database), (2, 3));
    assert_eq!(stored(&database).await, ["ann:a 1", "ann:b 1"]);
    assert_eq!(database.mail_store().unanswered().await.expect("it is read"), vec![]);
}

#[tokio::test]
async fn a_panic_without_a_savepoint_leaves_nothing_of_itself() {
    let (_directory, path) = place();
    let database = open(&path);
    let before = database.writer_counts();
    let gate = WriterGate::shut(&database).await;
    let first = commit(&database, begun("a"));
    let (panics, times) = counted(|| panic!("on purpose"));
    let panics = start(&database, panics);
    let last = commit(&database, input("a"));
    gate.open().await;
    assert_eq!(word(first).await, "written");
    let fault = outcome(panics).await.expect_err("it panicked");
    assert_eq!(fault.to_string(), "a panic while writing: on purpose");
    assert_eq!(word(last).await, "written");
    assert_eq!(times.try_iter().count(), 2);
    assert_eq!(since(before, &database), (2, 3));
    assert_eq!(stored(&database).await, ["ann:a 2"]);
    assert_eq!(database.mail_store().unanswered().await.expect("it is read"), vec![]);
}

#[tokio::test]
async fn a_group_whose_transaction_is_lost_is_written_each_alone() {
    let (_directory, path) = place();
    let database = open(&path);
    let seen = watched(&database).await;
    let before = database.writer_counts();
    let gate = WriterGate::shut(&database).await;
    let first = commit(&database, begun("a"));
    let (loses, times) = counted(|| Err(DbError::Failed("disk I/O error".to_owned())));
    let loses = start(&database, loses);
    let last = commit(&database, begun("b"));
    gate.open().await;
    assert_eq!(word(first).await, "written");
    assert!(outcome(loses).await.expect_err("it failed").to_string().ends_with("disk I/O error"));
    assert_eq!(word(last).await, "written");
    assert_eq!(times.try_iter().count(), 2, "with the others, and alone");
    let lost = ["BEGIN IMMEDIATE", "ROLLBACK"];
    assert_eq!(said(&seen), [ALONE, lost, ALONE, lost, ALONE].concat());
    assert_eq!(since(before, &database), (3, 3));
    assert_eq!(stored(&database).await, ["ann:a 1", "ann:b 1"]);
    assert_eq!(database.mail_store().unanswered().await.expect("it is read"), vec![]);
}

#[tokio::test]
async fn a_full_disk_in_the_middle_fails_alone() {
    let (_directory, path) = place();
    let database = open(&path);
    // No more pages than there are: what fits into them is written, what needs another is not.
    let shrink =
        ClosureWriteJob(|conn: &mut DbConnection| Ok(conn.batch_execute("PRAGMA max_page_count = 1")?));
    outcome(start(&database, shrink)).await.expect("it is set");
    let before = database.writer_counts();
    let gate = WriterGate::shut(&database).await;
    let tasks = [begun("a"), large("b"), begun("c")].map(|work| commit(&database, work));
    gate.open().await;
    let [first, full, last] = tasks;
    assert_eq!(word(first).await, "written");
    let text = word(full).await;
    assert!(text.starts_with("the database cannot be used: ") && text.contains("disk is full"), "{text}");
    assert_eq!(word(last).await, "written");
    // The gate, and the two that fit, each alone.
    assert_eq!(since(before, &database), (3, 3));
    assert_eq!(stored(&database).await, ["ann:a 1", "ann:c 1"]);
}

#[tokio::test]
async fn a_commit_that_failed_and_is_not_there_is_tried_alone() {
    let (_directory, path) = place();
    let database = open(&path);
    let before = database.writer_counts();
    let gate = WriterGate::shut(&database).await;
    let first = commit(&database, begun("a"));
    // Nothing in Entracte defers a constraint; here it makes the COMMIT itself fail.
    let breaks = start(
        &database,
        ClosureWriteJob(|conn: &mut DbConnection| {
            let orphan = "PRAGMA defer_foreign_keys = ON;
                INSERT INTO log VALUES (99 * 68719476736 + 1, 99, 1, 99, 1, 1, 'x', NULL, x'00')";
            Ok(conn.batch_execute(orphan)?)
        }),
    );
    let last = commit(&database, begun("b"));
    gate.open().await;
    assert_eq!(word(first).await, "written");
    let fault = outcome(breaks).await.expect_err("its COMMIT fails");
    assert!(fault.to_string().ends_with("FOREIGN KEY constraint failed"), "{fault}");
    assert_eq!(word(last).await, "written");
    assert_eq!(since(before, &database), (3, 3));
    assert_eq!(database.check().expect("it is read"), Vec::<String>::new());
}

#[tokio::test]
async fn a_commit_said_to_have_failed_that_is_there_is_not_done_again() {
    let (_directory, path) = place();
    let database = open(&path);
    let gate = WriterGate::shut(&database).await;
    let (runs, counted) = mpsc::channel();
    let lies = start(
        &database,
        ClosureWriteJob(move |_: &mut DbConnection| {
            LIE.set(true);
            runs.send(()).expect("the test counts");
            Ok(())
        }),
    );
    let tasks = [begun("a"), input("a"), begun("b")].map(|work| commit(&database, work));
    gate.open().await;
    outcome(lies).await.expect("it is there");
    for task in tasks {
        assert_eq!(word(task).await, "written");
    }
    assert_eq!(counted.try_iter().count(), 1);
    assert_eq!(stored(&database).await, ["ann:a 2", "ann:b 1"]);
}

#[tokio::test]
async fn mail_whose_commit_is_said_to_have_failed_is_posted_once() {
    let (_directory, path) = place();
    let database = open(&path);
    let gate = WriterGate::shut(&database).await;
    let lies = ClosureWriteJob(|_: &mut DbConnection| {
        LIE.set(true);
        Ok(())
    });
    let lies = start(&database, lies);
    let mail_store = database.mail_store();
    let post = tokio::spawn(async move {
        let id = mail_store.post(&WorkspaceKey::new("ann:a"), vec![1], Timestamp(1)).await;
        (id.expect("it is posted"), mail_store.unanswered().await.expect("it is read"))
    });
    gate.open().await;
    outcome(lies).await.expect("it is there");
    let (id, unanswered) = outcome(post).await;
    assert_eq!(unanswered.into_iter().map(|mail| mail.id).collect::<Vec<_>>(), vec![id]);
}

#[tokio::test]
async fn a_caller_who_left_leaves_a_whole_commit() {
    let (_directory, path) = place();
    let database = open(&path);
    let gate = WriterGate::shut(&database).await;
    let left = commit(&database, begun("a"));
    tokio::task::yield_now().await;
    left.abort();
    assert!(left.await.is_err());
    let after = commit(&database, begun("b"));
    gate.open().await;
    assert_eq!(word(after).await, "written");
    assert_eq!(stored(&database).await, ["ann:a 1", "ann:b 1"]);
}

#[tokio::test]
async fn a_database_that_another_process_writes_is_told_busy_and_used_again_later() {
    let (_directory, path) = place();
    let options = DatabaseOptions { busy_timeout: Millis(0), ..DatabaseOptions::default() };
    let database = Database::open_at(path.into(), options).expect("it opens");
    let mut other = database.connect(ConnectionRole::Writer).expect("it opens");
    other.batch_execute("BEGIN IMMEDIATE").expect("it begins");
    let text = word(commit(&database, begun("a"))).await;
    assert!(text.contains("database is locked"), "{text}");
    other.batch_execute("ROLLBACK").expect("it ends");
    assert_eq!(word(commit(&database, begun("a"))).await, "written");
}

#[tokio::test]
async fn closing_finishes_what_was_queued() {
    let (_directory, path) = place();
    let database = open(&path);
    let gate = WriterGate::shut(&database).await;
    let queued = commit(&database, begun("a"));
    gate.open().await;
    drop(database);
    assert_eq!(word(queued).await, "written");
    assert_eq!(stored(&open(&path)).await, ["ann:a 1"]);
}
