//! Query plans and compile options of SQLite.

use diesel::prelude::*;
use diesel::sql_query;
use diesel::sql_types::Text;
use entracte_application::ports::ChunkQuery;

use super::statement_costs::plan;
use super::{open, place};
use crate::connection::{ConnectionRole, DbConnection};
use crate::dialect;

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
