//! The chunk index: a `tsvector` built from finished terms by a trigger.

use std::collections::BTreeMap;

use diesel::prelude::*;
use diesel::sql_query;
use diesel::sql_types::{Array, BigInt, Text};
use entracte_application::ports::ChunkQuery;

use crate::dialect::search::{ChunkIndexHit, to_index_query};
use crate::prepared_statements::PreparedQuery;

/// See [`crate::dialect::matching_chunks`]. The lexeme of the library contains a mark that no term has.
pub(crate) fn matching_chunks(
    conn: &mut PgConnection,
    library: i64,
    wanted: &ChunkQuery,
    limit: u32,
) -> QueryResult<Vec<ChunkIndexHit>> {
    let Some(question) = to_index_query(wanted, '\'', " & ", " | ") else { return Ok(Vec::new()) };
    let question = format!("'#{library}' & ({question})");
    let query = sql_query(
        "SELECT c.chunk_id, d.id AS document, c.ordinal, c.heading, c.begins, c.ends, c.heading_terms, c.terms, c.text
         FROM (SELECT chunk_id FROM chunks WHERE words @@ $1::tsquery
               ORDER BY ts_rank_cd('{0.33, 0.33, 0.33, 1}', words, $1::tsquery, 1) DESC LIMIT $2) AS found
         JOIN chunks c USING (chunk_id) JOIN documents d USING (document_id)
         WHERE c.library_id = $3",
    )
    .bind::<Text, _>(question)
    .bind::<BigInt, _>(i64::from(limit))
    .bind::<BigInt, _>(library);
    PreparedQuery(query).load(conn)
}

/// See [`crate::dialect::count_terms`].
pub(crate) fn count_terms(
    conn: &mut PgConnection,
    library: i64,
    counts: &BTreeMap<String, i64>,
) -> QueryResult<()> {
    let terms: Vec<&str> = counts.keys().map(String::as_str).collect();
    let chunks: Vec<i64> = counts.values().copied().collect();
    sql_query(
        "WITH change AS (SELECT * FROM unnest($2, $3) AS change (term, chunks)),
              known AS (UPDATE terms SET chunks = terms.chunks + change.chunks FROM change
                        WHERE terms.library_id = $1 AND terms.term = change.term RETURNING terms.term)
         INSERT INTO terms (library_id, term, chunks)
         SELECT $1, term, chunks FROM change
         WHERE NOT EXISTS (SELECT FROM known WHERE known.term = change.term)",
    )
    .bind::<BigInt, _>(library)
    .bind::<Array<Text>, _>(terms)
    .bind::<Array<BigInt>, _>(chunks)
    .execute(conn)?;
    Ok(())
}
