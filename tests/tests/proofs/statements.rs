//! The statements that sessions at work and their readers run: each is compiled once for a connection, and each is
//! served by an index, however many rows there are. On both databases.

#![expect(clippy::unwrap_used, clippy::panic, reason = "these are tests")]

mod filled_database;
mod recorder;
mod workload;

use std::collections::BTreeSet;

use entracte_adapters_db::{Database, DatabaseOptions};
use entracte_tests::postgres::TestDatabase;

use filled_database::{fill_postgres, fill_sqlite, postgres_plan, sqlite_plan};
use recorder::{RecordedStatement, record_statements, take_statements};
use workload::Workload;

/// Statements without a plan.
const CONTROL: [&str; 11] = [
    "BEGIN",
    "COMMIT",
    "ROLLBACK",
    "SAVEPOINT",
    "RELEASE",
    "PRAGMA",
    "SET ",
    "SHOW ",
    "LISTEN",
    "UNLISTEN",
    "NOTIFY",
];

/// Statements that may be compiled at each run, each with the reason.
const COMPILED_AGAIN: [(&str, &str); 5] = [
    ("BEGIN", "it has nothing to plan"),
    ("ROLLBACK", "it has nothing to plan"),
    ("PRAGMA data_version", "it has nothing to plan"),
    ("INSERT INTO blobs", "a blob is stored once, not in each round"),
    ("INSERT INTO hashes", "a hash is stored once, not in each round"),
];

/// Scans that are meant, each with the reason why it does not grow.
const SCANS: [(&str, &str); 21] = [
    ("sessions_working", "sessions at work are few"),
    ("sessions_placed", "sessions that want a slot are few"),
    ("mail_unanswered", "unanswered mail is few"),
    ("SCAN mail", "answered mail is deleted after a while, by this statement"),
    ("SCAN uncounted_sessions", "sessions whose logs could not be read are few"),
    ("INSERT INTO `workspaces`", "its children are looked for only while a deferred foreign key is violated"),
    ("CONSTANT ROW", "it is one row"),
    ("SCAN workspaces", "a list of all workspaces is what was asked for"),
    ("SCAN c", "the page of sums that was read"),
    ("SCAN own", "the sessions with attempts that sums of trees or a page of sums is made of"),
    ("SCAN above", "the sessions above them"),
    ("SCAN page", "the sessions of the page"),
    ("SCAN m", "the sessions of the page with those below them"),
    ("SCAN owner", "it has one row"),
    ("SCAN workers", "processes that share a database are few"),
    ("session_name_index VIRTUAL TABLE", "the index of names finds a limited number of sessions"),
    ("SCAN found", "the sessions that the index of names found"),
    ("calls_undecided", "calls that wait for a decision are few"),
    ("calls_unknown", "calls of unknown outcome are few"),
    ("COVERING INDEX sessions_list", "a census counts all sessions, in an index alone"),
    ("COVERING INDEX sessions_open", "a census looks for the one that waits longest, in an index alone"),
];

fn is_control(text: &str) -> bool {
    CONTROL.iter().any(|word| text.to_uppercase().starts_with(word))
}

/// The statements of a second turn of the workload, after the same in a first one.
async fn statements_of(database: &Database) -> (Vec<RecordedStatement>, Vec<RecordedStatement>) {
    // Not the migrations.
    take_statements();
    let workload = Workload::new(database).await;
    for _ in 0..2 {
        workload.run().await;
    }
    let first = take_statements();
    workload.run().await;
    (first, take_statements())
}

fn sqlite() -> (tempfile::TempDir, Database) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("entracte.db");
    let options = DatabaseOptions { readers: 1, ..DatabaseOptions::default() };
    let database = Database::open(path.to_str().unwrap(), options).unwrap();
    (directory, database)
}

async fn check_compiled_once(database: &Database) {
    let (first, later) = statements_of(database).await;
    let kept: BTreeSet<(usize, &str)> = first
        .iter()
        .chain(&later)
        .filter(|statement| statement.is_kept)
        .map(|statement| (statement.connection, statement.text.as_str()))
        .collect();
    let is_known = |statement: &RecordedStatement| {
        kept.contains(&(statement.connection, statement.text.as_str()))
            || COMPILED_AGAIN.iter().any(|(text, _)| statement.text.starts_with(text))
    };
    let again: BTreeSet<&str> = later
        .iter()
        .filter(|statement| !statement.is_kept && !is_known(statement))
        .map(|statement| statement.text.as_str())
        .collect();
    assert!(again.is_empty(), "compiled at each run: {again:#?}");
    let anew: BTreeSet<&str> =
        later.iter().filter(|one| one.is_kept).map(|statement| statement.text.as_str()).collect();
    assert!(anew.is_empty(), "compiled in a later turn: {anew:#?}");
    assert!(later.len() > 50, "the workload was recorded");
}

/// Input: turns of a session, and all that its readers ask; expected: once each statement was compiled for its
/// connection, no later turn compiles any.
#[tokio::test(start_paused = true)]
async fn no_statement_is_compiled_twice() {
    record_statements();
    let (_directory, database) = sqlite();
    check_compiled_once(&database).await;
    let Some(made) = TestDatabase::make() else { return };
    let options = DatabaseOptions { readers: 1, ..DatabaseOptions::default() };
    check_compiled_once(&Database::open(&made.url(), options).unwrap()).await;
}

/// Input: the plan of each statement of the same workload on a database with thousands of rows in each table and current
/// statistics; expected: no automatic index, and no scan but those that are meant.
#[tokio::test(start_paused = true)]
async fn every_plan_uses_its_index() {
    record_statements();
    let (directory, database) = sqlite();
    let texts = plannable(statements_of(&database).await);
    drop(database);
    let mut conn = fill_sqlite(&directory.path().join("entracte.db"));
    let mut wrong = Vec::new();
    for text in &texts {
        for step in sqlite_plan(&mut conn, text) {
            let is_meant = SCANS.iter().any(|(scan, _)| step.contains(scan) || text.starts_with(scan));
            if step.contains("AUTOMATIC") || (step.starts_with("SCAN") && !is_meant) {
                wrong.push(format!("{step}: {text}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// The same on a server, whose planner scans only where no index can serve.
#[tokio::test(start_paused = true)]
async fn every_server_plan_uses_its_index() {
    record_statements();
    let Some(made) = TestDatabase::make() else { return };
    let database = made.open();
    let texts = plannable(statements_of(&database).await);
    drop(database);
    let mut conn = fill_postgres(&made.url());
    let mut wrong = Vec::new();
    for text in &texts {
        let plan = postgres_plan(&mut conn, text);
        let scans = plan.iter().filter(|step| step.contains("Seq Scan on "));
        wrong.extend(scans.map(|step| format!("{}: {text}", step.trim())));
    }
    // A list of all workspaces, the one row of the owner, the few processes, answered mail that is deleted, the few
    // sessions that are left out of sums, and what the server says of itself.
    let meant = [
        "Seq Scan on workspaces",
        "Seq Scan on owner",
        "Seq Scan on workers",
        "Seq Scan on mail",
        "Seq Scan on uncounted",
        "Seq Scan on pg_",
    ];
    let is_meant = |scan: &String| meant.iter().any(|meant| scan.contains(meant));
    wrong.retain(|scan| !is_meant(scan));
    assert!(wrong.is_empty(), "{wrong:#?}");
}

fn plannable((first, later): (Vec<RecordedStatement>, Vec<RecordedStatement>)) -> BTreeSet<String> {
    let texts = first.into_iter().chain(later).map(|statement| statement.text);
    let texts: BTreeSet<String> = texts.filter(|text| !is_control(text) && !text.contains(';')).collect();
    assert!(texts.len() > 30, "the workload was recorded: {texts:#?}");
    texts
}
