//! Queries on `chunks` and their index.

use diesel::prelude::*;
use entracte_application::ports::{ChunkCandidate, ChunkQuery, DocumentChunk, NewDocumentChunk};
use entracte_domain::id::WorkspaceKey;

use super::{documents as of_documents, libraries};
use crate::column_numbers::{from_column, to_column};
use crate::connection::DbConnection;
use crate::db_error::DbError;
use crate::dialect;
use crate::schema::{chunks, documents};

/// Separates the headings of a chunk; headings never contain this unit separator.
const SEPARATOR: char = '\u{1f}';

type ChunkColumns = (i64, String, i64, String, String, i64, i64);

/// Selects the columns of [`ChunkColumns`].
macro_rules! columns {
    () => {
        (
            chunks::chunk_id,
            documents::id,
            chunks::ordinal,
            chunks::heading,
            chunks::text,
            chunks::begins,
            chunks::ends,
        )
    };
}

/// The position of a chunk: the database numbers of its library and its document, and its number there.
#[derive(Clone, Copy)]
pub(crate) struct ChunkPlace {
    pub(crate) library: i64,
    pub(crate) document: i64,
    pub(crate) ordinal: i64,
}

/// Inserts a chunk; a trigger adds it to the index.
pub(crate) fn insert(
    conn: &mut DbConnection,
    place: ChunkPlace,
    chunk: &NewDocumentChunk,
) -> Result<(), DbError> {
    let ChunkPlace { library, document, ordinal } = place;
    let heading: Vec<String> = chunk.heading.iter().map(|words| words.replace(SEPARATOR, " ")).collect();
    diesel::insert_into(chunks::table)
        .values((
            chunks::library_id.eq(library),
            chunks::document_id.eq(document),
            chunks::ordinal.eq(ordinal),
            chunks::heading.eq(heading.join(&SEPARATOR.to_string())),
            chunks::begins.eq(to_column(chunk.start)?),
            chunks::ends.eq(to_column(chunk.end)?),
            chunks::heading_terms.eq(chunk.heading_terms.join(" ")),
            chunks::terms.eq(chunk.terms.join(" ")),
            chunks::text.eq(&chunk.text),
        ))
        .execute(conn)?;
    Ok(())
}

/// Heading terms and text terms of each chunk of a document.
pub(crate) fn terms_of(conn: &mut DbConnection, document: i64) -> Result<Vec<(String, String)>, DbError> {
    let query = chunks::table.filter(chunks::document_id.eq(document));
    Ok(query.select((chunks::heading_terms, chunks::terms)).load(conn)?)
}

/// Deletes the chunks of a document; a trigger removes them from the index.
pub(crate) fn delete_for_document(conn: &mut DbConnection, document: i64) -> Result<(), DbError> {
    diesel::delete(chunks::table.filter(chunks::document_id.eq(document))).execute(conn)?;
    Ok(())
}

/// The chunks of a document that end after `from`, in order.
pub(crate) fn list_for_document(
    conn: &mut DbConnection,
    workspace: &WorkspaceKey,
    id: &str,
    from: u64,
    limit: u32,
) -> Result<Vec<DocumentChunk>, DbError> {
    let Some(library) = libraries::number(conn, workspace)? else { return Ok(Vec::new()) };
    let Some(document) = of_documents::number(conn, library, id)? else { return Ok(Vec::new()) };
    let rows: Vec<ChunkColumns> = chunks::table
        .inner_join(documents::table)
        .filter(chunks::document_id.eq(document))
        .filter(chunks::ends.gt(to_column(from)?))
        .order(chunks::ordinal)
        .limit(i64::from(limit))
        .select(columns!())
        .load(conn)?;
    rows.into_iter().map(chunk).collect()
}

/// The chunks of the workspace with these numbers.
pub(crate) fn list_by_numbers(
    conn: &mut DbConnection,
    workspace: &WorkspaceKey,
    numbers: &[u64],
) -> Result<Vec<DocumentChunk>, DbError> {
    let Some(library) = libraries::number(conn, workspace)? else { return Ok(Vec::new()) };
    let mut found = Vec::with_capacity(numbers.len());
    for number in numbers {
        let one = chunks::table
            .inner_join(documents::table)
            .filter(chunks::chunk_id.eq(to_column(*number)?))
            .filter(chunks::library_id.eq(library))
            .select(columns!());
        if let Some(columns) = one.get_result::<ChunkColumns>(conn).optional()? {
            found.push(chunk(columns)?);
        }
    }
    Ok(found)
}

/// The chunks of a workspace after a number, by number.
pub(crate) fn after(
    conn: &mut DbConnection,
    workspace: &WorkspaceKey,
    after: u64,
    limit: u32,
) -> Result<Vec<DocumentChunk>, DbError> {
    let Some(library) = libraries::number(conn, workspace)? else { return Ok(Vec::new()) };
    let rows: Vec<ChunkColumns> = chunks::table
        .inner_join(documents::table)
        .filter(chunks::library_id.eq(library))
        .filter(chunks::chunk_id.gt(to_column(after)?))
        .order(chunks::chunk_id)
        .limit(i64::from(limit))
        .select(columns!())
        .load(conn)?;
    rows.into_iter().map(chunk).collect()
}

/// The chunks of a workspace that match in the index.
pub(crate) fn matching(
    conn: &mut DbConnection,
    workspace: &WorkspaceKey,
    wanted: &ChunkQuery,
    limit: u32,
) -> Result<Vec<ChunkCandidate>, DbError> {
    let Some(library) = libraries::number(conn, workspace)? else { return Ok(Vec::new()) };
    let found = dialect::matching_chunks(conn, library, wanted, limit)?;
    found
        .into_iter()
        .map(|row| {
            let columns =
                (row.chunk_id, row.document, row.ordinal, row.heading, row.text, row.begins, row.ends);
            let split =
                |terms: &str| terms.split(' ').filter(|term| !term.is_empty()).map(str::to_owned).collect();
            Ok(ChunkCandidate {
                chunk: chunk(columns)?,
                heading_terms: split(&row.heading_terms),
                terms: split(&row.terms),
            })
        })
        .collect()
}

fn chunk(
    (number, document, ordinal, heading, text, begins, ends): ChunkColumns,
) -> Result<DocumentChunk, DbError> {
    let place = || format!("chunks, {number}");
    let heading = heading.split(SEPARATOR).filter(|words| !words.is_empty()).map(str::to_owned).collect();
    Ok(DocumentChunk {
        number: from_column(number, place)?,
        document,
        ordinal: from_column(ordinal, place)?,
        heading,
        text,
        start: from_column(begins, place)?,
        end: from_column(ends, place)?,
    })
}
