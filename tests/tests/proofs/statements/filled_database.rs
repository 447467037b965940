//! Databases with thousands of rows in each table, and the plans of statements on them.

use std::path::Path;

use diesel::connection::SimpleConnection;
use diesel::prelude::*;
use diesel::sql_query;
use diesel::sql_types::Text;

/// Rows of each table.
const ROWS: u32 = 20_000;

/// The parts of SQL in which the databases differ.
struct SqlWords {
    bytes: &'static str,
    yes: &'static str,
    no: &'static str,
}

const SQLITE: SqlWords = SqlWords { bytes: "x'00'", yes: "1", no: "0" };
const POSTGRES: SqlWords = SqlWords { bytes: "'\\x00'::bytea", yes: "TRUE", no: "FALSE" };

/// Each table with its columns, and the values of row `i`. Half of everything is in one workspace.
const TABLES: [(&str, &str, &str); 15] = [
    (
        "workspaces",
        "workspace_id, key, seq, body, created_at, epoch",
        "1000 + i, 'fill:' || i, 9, BYTES, 1, 0",
    ),
    (
        "sessions",
        "session_id, workspace_id, id, kind, name, standing, phase, sequence, placed, working, rank, wake_at, \
         created_at, last_activity, body",
        "100000 + i, CASE WHEN i % 2 = 0 THEN 1001 ELSE 1001 + i % 1000 END, 'ses_fill' || i, 'chat', 'name ' || i, \
         CASE WHEN i % 3 = 2 OR i % 6 = 0 THEN 'ended' ELSE 'open' END, 'IDLE', 5, \
         CASE WHEN i % 2000 = 0 THEN YES ELSE NO END, CASE WHEN i % 2000 = 0 THEN YES ELSE NO END, i % 3, \
         CASE WHEN i % 10 = 0 THEN 1000 + i END, 1, i, BYTES",
    ),
    (
        "log",
        "place, workspace_id, seq, session_id, sequence, at, label, client_key, body",
        "68788196212736 + i, 1001, i, 100000 + i, 1, i, 'UserMessageSent', 'k' || i, BYTES",
    ),
    (
        "calls",
        "session_id, sequence, ordinal, id, workspace_id, command, command_id, kind, state, attempt, exchange, \
         requested_at, body",
        "100000 + i, 1, 0, '', 1001, 'a.b', BYTES, 'query', \
         CASE WHEN i % 500 = 0 THEN 'unknown' WHEN i % 500 = 1 THEN 'waiting_decision' ELSE 'succeeded' END, 1, 1, i, \
         BYTES",
    ),
    (
        "costs",
        "workspace_id, session_id, round, attempt, at, provider, model, input, cache_read, cache_write, output, \
         unknown_attempts, micros, rest, priced",
        "1001, 100000 + i, 1, 1, i, 'claude', 'm', 1, 1, 1, 1, 0, 1, 1, 4",
    ),
    (
        "resources",
        "workspace_id, kind, id, name, at, version, body, created_at, updated_at",
        "1001, 'entry', 'e' || i, 'name', i, 1, '{}', 1, 1",
    ),
    (
        "mail",
        "workspace, body, posted_at, answer",
        "'fill:1', BYTES, i, CASE WHEN i % 5000 > 0 THEN BYTES END",
    ),
    (
        "automations",
        "workspace_id, id, seed, name, next_at, revision, body",
        "1001, 'aut_fill' || i, 'ses_fill' || i, 'name', CASE WHEN i % 2 = 0 THEN 1000 + i END, 1, BYTES",
    ),
    (
        "occurrences",
        "automation, at, workspace_id, outcome, decided_at, body",
        "'aut_fill1', i, 1001, 'run', i, BYTES",
    ),
    ("deletions", "workspace_id, session, at, author, body", "1001, 'ses_gone' || i, i, 'ann', BYTES"),
    ("changes", "workspace_id, seq, kind, id, gone", "1001, i, 'entry', 'e' || i, NO"),
    (
        "instructions",
        "workspace_id, scope, target, version, text, digest, author, source, at",
        "1001, 'session', 'ses_fill' || (i / 4), i % 4, 'text', 'd', 'ann', 'set', i",
    ),
    (
        "tasks",
        "id, workspace_id, session, call, command, state, open, wake_at, created_at, body",
        "'tsk_fill' || i, 1001, 'ses_fill' || i, 'cal_fill', 'a.b', 'running', YES, 1000 + i, i, BYTES",
    ),
    (
        "receipts",
        "workspace, person, key, fingerprint, answer, created_at",
        "'fill:1', 'ann', 'k' || i, 'f', BYTES, i",
    ),
    ("blobs", "digest, bytes", "'digest' || i, BYTES"),
];

fn fill(conn: &mut impl SimpleConnection, words: &SqlWords) {
    for (table, columns, values) in TABLES {
        let rows = if table == "workspaces" { 1_000 } else { ROWS };
        let values = values.replace("BYTES", words.bytes).replace("YES", words.yes).replace("NO", words.no);
        let sql = format!(
            "INSERT INTO {table} ({columns}) WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n \
             WHERE i < {rows}) SELECT {values} FROM n"
        );
        conn.batch_execute(&sql).unwrap_or_else(|error| panic!("{sql}: {error}"));
    }
    conn.batch_execute("ANALYZE").unwrap();
}

/// Fills the database in a file.
pub(super) fn fill_sqlite(path: &Path) -> SqliteConnection {
    let mut conn = SqliteConnection::establish(path.to_str().unwrap()).unwrap();
    conn.batch_execute("PRAGMA synchronous = OFF; BEGIN").unwrap();
    fill(&mut conn, &SQLITE);
    conn.batch_execute("COMMIT").unwrap();
    conn
}

/// Fills a database of a server.
pub(super) fn fill_postgres(url: &str) -> PgConnection {
    let mut conn = PgConnection::establish(url).unwrap();
    fill(&mut conn, &POSTGRES);
    conn.batch_execute("SET enable_seqscan = off; SET plan_cache_mode = force_generic_plan").unwrap();
    conn
}

/// The steps of SQLite's plan for a statement.
pub(super) fn sqlite_plan(conn: &mut SqliteConnection, text: &str) -> Vec<String> {
    #[derive(QueryableByName)]
    struct SqlitePlanRow {
        #[diesel(sql_type = Text)]
        detail: String,
    }
    let explain = sql_query(format!("EXPLAIN QUERY PLAN {text}"));
    let steps = explain.load::<SqlitePlanRow>(conn).unwrap_or_else(|error| panic!("{text}: {error}"));
    steps.into_iter().map(|step| step.detail).collect()
}

/// The lines of a server's plan for a statement, whatever its values.
pub(super) fn postgres_plan(conn: &mut PgConnection, text: &str) -> Vec<String> {
    #[derive(QueryableByName)]
    struct PostgresPlanRow {
        #[diesel(sql_type = Text, column_name = "QUERY PLAN")]
        line: String,
    }
    let parameters = (1..100).take_while(|number| text.contains(&format!("${number}"))).count();
    let nothing = vec!["NULL"; parameters].join(", ");
    let values = if parameters > 0 { format!("({nothing})") } else { String::new() };
    // The arrays of a group of commits have types that only the client knows.
    match conn.batch_execute(&format!("PREPARE planned AS {text}")) {
        Err(_) if text.contains("unnest(") => return Vec::new(),
        prepared => prepared.unwrap_or_else(|error| panic!("{text}: {error}")),
    }
    let explain = sql_query(format!("EXPLAIN EXECUTE planned{values}"));
    let lines = explain.load::<PostgresPlanRow>(conn).unwrap_or_else(|error| panic!("{text}: {error}"));
    conn.batch_execute("DEALLOCATE planned").unwrap();
    lines.into_iter().map(|row| row.line).collect()
}
