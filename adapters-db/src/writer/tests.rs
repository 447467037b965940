//! Group commit: waiting jobs are written together, and a failing one does not affect the others. A gate keeps the
//! writer busy until a whole group is queued, so that no test depends on timing.

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

/// Reports once that a successful COMMIT failed, when a [`ClosureWriteJob`] requested that.
pub(super) fn lie_about_commit() -> Result<(), String> {
    if LIE.take() { Err("disk I/O error".to_owned()) } else { Ok(()) }
}

/// A job from a closure, which cannot tell whether it was committed.
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

    /// Releases the writer once all started jobs are queued.
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
    // The gate's transaction, and one for all five jobs.
    assert_eq!(since(before, &database), (2, 6));
    assert_eq!(stored(&database).await, ["ann:a 2", "ann:b 1", "ann:c 1", "ann:d 1"]);
}

#[tokio::test]
async fn group_size_is_limited_by_options() {
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
async fn full_queue_makes_callers_wait_without_loss() {
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
async fn violated_constraint_in_the_middle_undoes_itself_only() {
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
async fn panic_in_the_middle_undoes_itself_only() {
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

/// Traces the transaction statements of the writer, from the next transaction until the database is closed.
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

/// A job that counts its runs, and ends with the given result.
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

/// A single job: the gate.
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
async fn group_with_refused_job_is_retried_with_savepoints() {
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
    // The gate's transaction, and one for the two successful jobs.
    assert_eq!(since(before, &database), (2, 3));
    assert_eq!(stored(&database).await, ["ann:a 1", "ann:b 1"]);
    assert_eq!(database.mail_store().unanswered().await.expect("it is read"), vec![]);
}

#[tokio::test]
async fn panic_without_savepoint_leaves_no_writes() {
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
async fn jobs_of_lost_transaction_are_retried_alone() {
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
    // No more pages than exist: a write that fits into them succeeds, one that needs another page fails.
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
    // The gate, and the two jobs that fit, each alone.
    assert_eq!(since(before, &database), (3, 3));
    assert_eq!(stored(&database).await, ["ann:a 1", "ann:c 1"]);
}

#[tokio::test]
async fn failed_commit_without_effect_is_retried_alone() {
    let (_directory, path) = place();
    let database = open(&path);
    let before = database.writer_counts();
    let gate = WriterGate::shut(&database).await;
    let first = commit(&database, begun("a"));
    // Entracte defers no constraint; here a deferred one makes the COMMIT itself fail.
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
async fn failed_commit_with_effect_is_not_repeated() {
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

/// Input: a database in memory, whose writer loses the only connection at a COMMIT; expected: its rows are still there.
#[tokio::test]
async fn memory_database_outlives_its_lost_connection() {
    let database = Database::open(":memory:", DatabaseOptions::default()).expect("it opens");
    assert_eq!(word(commit(&database, begun("a"))).await, "written");
    let lies = ClosureWriteJob(|_: &mut DbConnection| {
        LIE.set(true);
        Ok(())
    });
    outcome(start(&database, lies)).await.expect_err("whether it was written is not known");
    assert_eq!(word(commit(&database, input("a"))).await, "written");
    assert_eq!(stored(&database).await, ["ann:a 2"]);
}

#[tokio::test]
async fn mail_with_falsely_failed_commit_is_posted_once() {
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
async fn dropped_caller_leaves_a_complete_commit() {
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
async fn locked_database_is_reported_busy_and_recovers() {
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
