//! Query plans and compile options of SQLite.

use diesel::prelude::*;
use diesel::sql_query;
use diesel::sql_types::{BigInt, Text};
use entracte_application::ports::{
    ChunkQuery, SessionPageFilter, SessionPageOf, SessionPageOrder, WorkspaceCommit,
};
use entracte_domain::id::WorkspaceKey;

use super::statement_costs::plan;
use super::{begun, input, open, place};
use crate::connection::{ConnectionRole, DbConnection};
use crate::dialect;
use crate::queries::session_pages;
use crate::writer::WriteJob;

/// Input: a full-text search; expected: the index is read first, and each chunk and document it found is looked up by
/// key, whatever the number of chunks in the library.
#[test]
fn search_looks_up_only_what_the_index_found() {
    let any = ChunkQuery::Any(vec!["harbour".to_owned(), "ship".to_owned()]);
    let all = ChunkQuery::All(vec![vec!["harbour".to_owned()], vec!["ship".to_owned(), "boat".to_owned()]]);
    for wanted in [any, all] {
        let steps = plan(|conn| {
            dialect::matching_chunks(conn, 1, &wanted, 200).expect("it is read");
        });
        let scans = steps.iter().filter(|step| step.starts_with("SCAN"));
        let is_index = |step: &&String| step.contains("chunk_index VIRTUAL TABLE") || *step == "SCAN found";
        assert_eq!(scans.filter(|step| !is_index(step)).count(), 0, "{steps:#?}");
        for table in ["c", "d"] {
            let lookup = format!("SEARCH {table} USING INTEGER PRIMARY KEY (rowid=?)");
            assert!(steps.contains(&lookup), "{lookup}: {steps:#?}");
        }
    }
}

/// A document of one chunk.
const DOCUMENT: [&str; 3] = [
    "INSERT INTO libraries (workspace, documents, chunks, terms, revision) VALUES ('ann:a', 1, 1, 2, 1)",
    "INSERT INTO documents (library_id, id, name, source, format, title, language, digest, bytes, chunks, author, added_at, \
     changed_at) VALUES (1, 'doc_1', 'guide.md', 'upload', 'markdown', 'Guide', 'en', 'd', 1, 1, 'ann', 1, 1)",
    "INSERT INTO chunks (library_id, document_id, ordinal, heading, begins, ends, heading_terms, terms, text) \
     VALUES (1, 1, 0, 'Guide', 0, 1, 'guide', 'harbour ship', 'Harbour, ship')",
];

/// The number of blocks of the index with a word of that chunk.
const HAVE_HARBOUR: &str =
    "SELECT count(*) AS count FROM chunk_index_data WHERE instr(block, CAST('harbour' AS BLOB)) > 0";

/// Input: a chunk that is stored and deleted; expected: the index has its words, then the file has none of them.
#[test]
fn index_of_chunks_forgets_deleted_words() {
    let (_directory, path) = place();
    let mut conn = open(&path).connect(ConnectionRole::Writer).expect("it opens");
    let run = |conn: &mut DbConnection, sql: &str| {
        let DbConnection::Sqlite(inner) = conn else { panic!("a file is of SQLite") };
        sql_query(sql).execute(inner).expect("it is written");
    };
    DOCUMENT.iter().for_each(|sql| run(&mut conn, sql));
    assert_eq!(count(&mut conn, HAVE_HARBOUR), 1);
    run(&mut conn, "DELETE FROM chunks");
    for sql in ["SELECT count(*) AS count FROM chunk_index_docsize", HAVE_HARBOUR] {
        assert_eq!(count(&mut conn, sql), 0, "{sql}");
    }
}

/// A page of the sessions of a workspace whose names have this text.
fn names_with(text: &str) -> SessionPageFilter {
    SessionPageFilter {
        workspace: WorkspaceKey::new("ann:a"),
        of: SessionPageOf::All,
        order: SessionPageOrder::LatestFirst,
        after: None,
        limit: 9,
        sought: Some(text.to_owned()),
    }
}

#[derive(QueryableByName)]
struct CountRow {
    #[diesel(sql_type = BigInt)]
    count: i64,
}

/// Input: a search of sessions by name; expected: the index of names is read, and each session that it finds is looked up by
/// its key, whatever the number of sessions.
#[test]
fn name_search_looks_up_only_what_the_index_found() {
    let steps = plan(|conn| drop(session_pages::page(conn, &names_with("wood")).expect("it is read")));
    let scans = steps.iter().filter(|step| step.starts_with("SCAN"));
    let is_index = |step: &&String| {
        step.contains("session_name_index VIRTUAL TABLE")
            || *step == "SCAN found"
            || step.contains("USING INDEX sessions_working")
    };
    assert_eq!(scans.filter(|step| !is_index(step)).count(), 0, "{steps:#?}");
    for lookup in [
        "SEARCH sessions USING INTEGER PRIMARY KEY (rowid=?)",
        "SEARCH sessions USING INDEX sqlite_autoindex_sessions_1 (id>? AND id<?)",
    ] {
        assert!(steps.iter().any(|step| step == lookup), "{lookup}: {steps:#?}");
    }
    assert!(!steps.iter().any(|step| step.contains("sessions_list")), "{steps:#?}");
}

/// The number of blocks of the index with the second group of `Stone`: only what it shares with the first is left out.
const HAVE_STO: &str =
    "SELECT count(*) AS count FROM session_name_index_data WHERE instr(block, CAST('sto' AS BLOB)) > 0";

fn count(conn: &mut DbConnection, sql: &str) -> i64 {
    let DbConnection::Sqlite(inner) = conn else { panic!("a file is of SQLite") };
    sql_query(sql).get_result::<CountRow>(inner).expect("it is read").count
}

/// Input: a session that is stored, renamed and deleted; expected: the index has the name that it has, and no other: the file
/// has no group of a name that is gone.
#[test]
fn index_of_names_follows_the_sessions() {
    let (_directory, path) = place();
    let mut conn = open(&path).connect(ConnectionRole::Writer).expect("it opens");
    let rest = |mut commit: WorkspaceCommit, name: &str| {
        let (row, _) = &mut commit.sessions[0];
        row.name = name.to_owned();
        // The index is not asked for sessions at work.
        (row.working, row.placed) = (false, false);
        commit
    };
    let find = |conn: &mut DbConnection, text: &str| {
        let page = session_pages::page(conn, &names_with(text)).expect("it is read");
        page.lines.len()
    };
    rest(begun("a"), "Wood \0 and more").run(&mut conn).expect("it is written");
    assert_eq!(find(&mut conn, "more"), 1, "a name with a character that ends texts");

    let renamed = rest(input("a"), "Stone");
    renamed.run(&mut conn).expect("it is written");
    assert_eq!((find(&mut conn, "STONE"), find(&mut conn, "more")), (1, 0));
    assert_eq!(count(&mut conn, HAVE_STO), 1);

    let (row, _) = &renamed.sessions[0];
    let mut gone = WorkspaceCommit::for_workspace(renamed.workspace.clone());
    gone.expected_seq = Some(gone.workspace.seq);
    gone.deleted = vec![(row.id.clone(), row.sequence)];
    gone.run(&mut conn).expect("it is written");
    assert_eq!(find(&mut conn, "stone"), 0);
    for sql in ["SELECT count(*) AS count FROM session_name_index_docsize", HAVE_STO] {
        assert_eq!(count(&mut conn, sql), 0, "{sql}");
    }
}

/// Without this option SQLite compiles a statement anew at each run if its plan may depend on a bound value such as a
/// LIMIT.
#[test]
fn sqlite_plans_do_not_depend_on_bound_values() {
    #[derive(QueryableByName)]
    struct CompileOptionRow {
        #[diesel(sql_type = Text)]
        compile_options: String,
    }
    let (_directory, path) = place();
    let mut conn = open(&path).connect(ConnectionRole::Reader).expect("it opens");
    let DbConnection::Sqlite(conn) = &mut conn else { panic!("a file is of SQLite") };
    let options =
        sql_query("PRAGMA compile_options").load::<CompileOptionRow>(conn).expect("they are listed");
    assert!(options.iter().any(|option| option.compile_options == "ENABLE_QPSG"));
}
