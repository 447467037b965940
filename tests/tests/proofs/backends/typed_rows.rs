//! A row with a word that this version does not know is an error that names table, key and column, on SQLite and on
//! Postgres. Lists open all the same.

use diesel::connection::SimpleConnection;
use diesel::{Connection, SqliteConnection};
use entracte_adapters_db::Database;
use entracte_application::ports::{
    ChangeKind, ResourceChangeRow, SessionFilter, SessionListRow, StoreError, TaskFilter, WorkspaceCommit,
};
use entracte_domain::task::TaskState;
use entracte_tests::contracts::rows::{HOME, begun, call, key, session_id};
use entracte_tests::contracts::task_reader::task;
use entracte_tests::postgres::TestDatabase;

use super::sqlite;

/// A workspace with two sessions, of which the first has a call, a change and a task.
async fn fill(database: &Database) {
    let mut commit = begun(HOME, "a");
    let (mut other, _) = commit.sessions[0].clone();
    other.id = session_id("b");
    commit.sessions.push((other, None));
    let kind = ChangeKind::Resource("zone".to_owned());
    let change = ResourceChangeRow { seq: 2, kind, id: "z".to_owned(), revision: None, gone: false };
    commit.workspace.seq = 2;
    let commit = WorkspaceCommit {
        calls: vec![call("a", 1, 0)],
        changes: vec![(change, 0)],
        tasks: vec![task("tsk_1", TaskState::Running, None)],
        ..commit
    };
    database.store().commit(commit).await.unwrap();
}

/// Where a bad word is written, and what the error names.
struct BadWord {
    table: &'static str,
    column: &'static str,
    condition: &'static str,
    /// Table and key in the error.
    named: &'static str,
}

const SESSION: &str = "id = 'ses_a'";
const BAD_WORDS: [BadWord; 8] = [
    BadWord { table: "sessions", column: "kind", condition: SESSION, named: "sessions, ses_a, kind" },
    BadWord { table: "sessions", column: "standing", condition: SESSION, named: "sessions, ses_a, standing" },
    BadWord { table: "sessions", column: "phase", condition: SESSION, named: "sessions, ses_a, phase" },
    BadWord {
        table: "sessions",
        column: "end_reason",
        condition: SESSION,
        named: "sessions, ses_a, end_reason",
    },
    BadWord { table: "calls", column: "kind", condition: "ordinal = 0", named: "calls, ses_a 1 0, kind" },
    BadWord { table: "calls", column: "state", condition: "ordinal = 0", named: "calls, ses_a 1 0, state" },
    BadWord {
        table: "changes",
        column: "kind",
        condition: "seq = 2",
        named: "changes of ann:home, seq 2, kind",
    },
    BadWord { table: "tasks", column: "state", condition: "id = 'tsk_1'", named: "tasks, tsk_1, state" },
];

/// The error of the read that needs this row.
async fn read(database: &Database, table: &str) -> Option<StoreError> {
    let (home, a) = (key(HOME), session_id("a"));
    match table {
        "sessions" => database.store().session(&home, &a).await.err(),
        "calls" => database.log_reader().calls(&home, &a).await.err(),
        "changes" => database.log_reader().changes(&home, 0, 9).await.err(),
        _ => database.task_reader().tasks(&home, TaskFilter::default()).await.err(),
    }
}

/// The readable sessions, the unreadable ones with the reason, and the lines of the list.
async fn lists(database: &Database) -> (usize, Vec<String>, Vec<SessionListRow>) {
    let log = database.log_reader();
    let all = SessionFilter { workspace: Some(key(HOME)), ..SessionFilter::default() };
    let found = log.sessions(&all).await.unwrap();
    let unreadable = found.unreadable.into_iter().map(|session| session.why).collect();
    (found.rows.len(), unreadable, log.session_list(&all).await.unwrap())
}

async fn check(database: &Database, run: impl Fn(&str)) {
    fill(database).await;
    for BadWord { table, column, condition, named } in BAD_WORDS {
        assert_eq!(read(database, table).await, None, "{named}");
        // Any word is the kind of a resource that somebody defines, except none.
        let bad = if table == "changes" { "" } else { "robot" };
        run(&format!("CREATE TABLE before AS SELECT {column} AS word FROM {table} WHERE {condition}"));
        run(&format!("UPDATE {table} SET {column} = '{bad}' WHERE {condition}"));
        let error = read(database, table).await.unwrap();
        let expected = format!("{named}: “{bad}” is not a valid ");
        assert!(
            matches!(&error, StoreError::Inconsistent(why) if why.starts_with(&expected)),
            "{error} instead of {expected}"
        );
        let (readable, unreadable, lines) = lists(database).await;
        assert_eq!(lines.len(), 2, "{named}");
        if table == "sessions" {
            assert_eq!((readable, unreadable.len()), (1, 1), "{named}");
            assert!(unreadable[0].contains(&expected), "{} instead of {expected}", unreadable[0]);
            let line = lines.iter().find(|line| line.id == session_id("a")).unwrap();
            let words = [line.kind.word(), line.standing.word(), line.phase.word()];
            let end = line.end_reason.as_ref().map(|reason| reason.word());
            assert!(words.into_iter().chain(end).any(|word| word == bad), "{line:?}");
        } else {
            assert_eq!((readable, unreadable.len()), (2, 0), "{named}");
        }
        run(&format!("UPDATE {table} SET {column} = (SELECT word FROM before) WHERE {condition}"));
        run("DROP TABLE before");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn rows_are_typed() {
    let (database, folder) = sqlite();
    let path = folder.path().join("entracte.db");
    check(&database, |sql| {
        let mut conn = SqliteConnection::establish(path.to_str().unwrap()).unwrap();
        conn.batch_execute(&format!("PRAGMA busy_timeout = 10000; {sql}")).unwrap();
    })
    .await;
    let Some(made) = TestDatabase::make() else { return };
    check(&made.open(), |sql| made.run(sql)).await;
}
