//! The chunk index: FTS5, filled with finished terms by a trigger; it stores no text.

use std::collections::BTreeMap;

use diesel::prelude::*;
use diesel::sql_query;
use diesel::sql_types::{BigInt, Text};
use entracte_application::ports::ChunkQuery;

use crate::dialect::search::{ChunkIndexHit, to_index_query};
use crate::prepared_statements::{NamedQuery, PreparedQuery, update};
use crate::schema::terms;

/// See [`crate::dialect::matching_chunks`].
pub(crate) fn matching_chunks(
    conn: &mut SqliteConnection,
    library: i64,
    wanted: &ChunkQuery,
    limit: u32,
) -> QueryResult<Vec<ChunkIndexHit>> {
    let Some(question) = to_index_query(wanted, '"', " AND ", " OR ") else { return Ok(Vec::new()) };
    let question = format!("(space : \"space{library}\") AND ({{heading words}} : ({question}))");
    // CROSS JOIN fixes the join order: the few index hits first. With a plain JOIN SQLite, which has no statistics on
    // virtual tables, reads every chunk of the library and looks each up in the index.
    let query = sql_query(
        "SELECT c.chunk_id, d.id AS document, c.ordinal, c.heading, c.begins, c.ends, c.heading_terms, c.terms, c.text
         FROM (SELECT rowid AS chunk_id FROM chunk_index WHERE chunk_index MATCH ?
               ORDER BY bm25(chunk_index, 3.0, 1.0, 0.0) LIMIT ?) AS found
         CROSS JOIN chunks c USING (chunk_id) CROSS JOIN documents d USING (document_id)
         WHERE c.library_id = ?",
    )
    .bind::<Text, _>(question)
    .bind::<BigInt, _>(i64::from(limit))
    .bind::<BigInt, _>(library);
    PreparedQuery(query).load(conn)
}

/// See [`crate::dialect::count_terms`]. Not an upsert, because SQLite compiles one at every run.
pub(crate) fn count_terms(
    conn: &mut SqliteConnection,
    library: i64,
    counts: &BTreeMap<String, i64>,
) -> QueryResult<()> {
    struct SqliteTermUpdate;
    for (term, chunks) in counts {
        let known = terms::library_id.eq(library).and(terms::term.eq(term));
        let more = update(terms::table, known, terms::chunks.eq(terms::chunks + *chunks));
        if NamedQuery::new(SqliteTermUpdate, more).execute(conn)? == 0 {
            diesel::insert_into(terms::table)
                .values((terms::library_id.eq(library), terms::term.eq(term), terms::chunks.eq(*chunks)))
                .execute(conn)?;
        }
    }
    Ok(())
}
