//! Queries on `documents` and `document_reads`.

use diesel::prelude::*;
use entracte_application::ports::{DocumentFormat, KnowledgeDocument, NewKnowledgeDocument};
use entracte_domain::id::{Digest, WorkspaceKey};
use entracte_domain::time::Timestamp;

use super::libraries;
use crate::column_numbers::{from_column, to_column};
use crate::connection::DbConnection;
use crate::db_error::DbError;
use crate::prepared_statements::PreparedQuery;
use crate::schema::{document_reads, documents};

/// The columns of a document except its body.
#[derive(Queryable)]
struct DocumentColumns {
    id: String,
    name: String,
    source: String,
    format: String,
    title: String,
    language: String,
    digest: String,
    bytes: i64,
    chunks: i64,
    author: String,
    added_at: i64,
    changed_at: i64,
    gaps: Option<String>,
    last_read_at: Option<i64>,
}

/// Selects the columns of [`DocumentColumns`].
macro_rules! columns {
    () => {
        (
            documents::id,
            documents::name,
            documents::source,
            documents::format,
            documents::title,
            documents::language,
            documents::digest,
            documents::bytes,
            documents::chunks,
            documents::author,
            documents::added_at,
            documents::changed_at,
            documents::gaps,
            document_reads::last_read_at.nullable(),
        )
    };
}

/// All documents, each with the time of its last read.
macro_rules! documents_with_reads {
    () => {
        documents::table.left_join(document_reads::table)
    };
}

/// The numbers and the row of the document with this name.
pub(crate) fn find_by_name(
    conn: &mut DbConnection,
    library: i64,
    name: &str,
) -> Result<Option<(i64, KnowledgeDocument)>, DbError> {
    let query =
        documents_with_reads!().filter(documents::library_id.eq(library)).filter(documents::name.eq(name));
    let row = query.select((documents::document_id, columns!())).get_result::<(i64, DocumentColumns)>(conn);
    row.optional()?.map(|(number, columns)| Ok((number, document(columns)?))).transpose()
}

/// The number of the document with this id.
pub(crate) fn number(conn: &mut DbConnection, library: i64, id: &str) -> Result<Option<i64>, DbError> {
    let query = documents::table.filter(documents::library_id.eq(library)).filter(documents::id.eq(id));
    Ok(query.select(documents::document_id).get_result(conn).optional()?)
}

/// The document with this id, or else this name.
pub(crate) fn find(
    conn: &mut DbConnection,
    workspace: &WorkspaceKey,
    which: &str,
) -> Result<Option<KnowledgeDocument>, DbError> {
    let Some(library) = libraries::number(conn, workspace)? else { return Ok(None) };
    let here = documents_with_reads!().filter(documents::library_id.eq(library));
    let by_id = here.filter(documents::id.eq(which)).select(columns!());
    match by_id.get_result::<DocumentColumns>(conn).optional()? {
        Some(columns) => Ok(Some(document(columns)?)),
        None => Ok(find_by_name(conn, library, which)?.map(|(_, document)| document)),
    }
}

/// The documents after a name, by name.
pub(crate) fn list(
    conn: &mut DbConnection,
    workspace: &WorkspaceKey,
    after: Option<&str>,
    limit: u32,
) -> Result<Vec<KnowledgeDocument>, DbError> {
    let Some(library) = libraries::number(conn, workspace)? else { return Ok(Vec::new()) };
    let rows: Vec<DocumentColumns> = documents_with_reads!()
        .filter(documents::library_id.eq(library))
        // A name is never empty.
        .filter(documents::name.gt(after.unwrap_or_default()))
        .order(documents::name)
        .limit(i64::from(limit))
        .select(columns!())
        .load(conn)?;
    rows.into_iter().map(document).collect()
}

/// The JSON body of a structured document.
pub(crate) fn body(
    conn: &mut DbConnection,
    workspace: &WorkspaceKey,
    id: &str,
) -> Result<Option<String>, DbError> {
    let Some(library) = libraries::number(conn, workspace)? else { return Ok(None) };
    let query = documents::table.filter(documents::library_id.eq(library)).filter(documents::id.eq(id));
    Ok(query.select(documents::body).get_result::<Option<String>>(conn).optional()?.flatten())
}

/// Inserts a new document; returns its number.
pub(crate) fn insert(
    conn: &mut DbConnection,
    library: i64,
    new: &NewKnowledgeDocument,
) -> Result<i64, DbError> {
    let document = &new.document;
    let number = diesel::insert_into(documents::table)
        .values((
            documents::library_id.eq(library),
            documents::id.eq(&document.id),
            documents::name.eq(&document.name),
            documents::source.eq(&document.source),
            documents::format.eq(document.format.word()),
            documents::title.eq(&document.title),
            documents::language.eq(&document.language),
            documents::digest.eq(document.digest.as_str()),
            documents::bytes.eq(to_column(document.bytes)?),
            documents::chunks.eq(i64::from(document.chunks)),
            documents::author.eq(&document.author),
            documents::added_at.eq(document.added_at.0),
            documents::changed_at.eq(document.changed_at.0),
            documents::body.eq(&new.body),
            documents::gaps.eq(gaps_column(document)),
        ))
        .returning(documents::document_id)
        .get_result(conn)?;
    Ok(number)
}

/// Replaces a document; its id, name and creation time stay.
pub(crate) fn replace(
    conn: &mut DbConnection,
    number: i64,
    new: &NewKnowledgeDocument,
) -> Result<(), DbError> {
    let document = &new.document;
    let update = diesel::update(documents::table.find(number))
        .set((
            documents::source.eq(&document.source),
            documents::format.eq(document.format.word()),
            documents::title.eq(&document.title),
            documents::language.eq(&document.language),
            documents::digest.eq(document.digest.as_str()),
            documents::bytes.eq(to_column(document.bytes)?),
            documents::chunks.eq(i64::from(document.chunks)),
            documents::author.eq(&document.author),
            documents::changed_at.eq(document.changed_at.0),
            documents::body.eq(&new.body),
            documents::gaps.eq(gaps_column(document)),
        ))
        .returning(documents::document_id);
    PreparedQuery(update).get_result::<i64>(conn).optional()?;
    Ok(())
}

/// Notes when a document was read; a later stored time stays.
pub(crate) fn note_read(conn: &mut DbConnection, document: i64, at: Timestamp) -> Result<(), DbError> {
    let stored = || document_reads::table.find(document);
    let known = stored().select(document_reads::last_read_at).get_result::<i64>(conn).optional()?;
    match known {
        Some(known) if known >= at.0 => {}
        Some(_) => {
            diesel::update(stored()).set(document_reads::last_read_at.eq(at.0)).execute(conn)?;
        }
        None => {
            let row = (document_reads::document_id.eq(document), document_reads::last_read_at.eq(at.0));
            diesel::insert_into(document_reads::table).values(row).execute(conn)?;
        }
    }
    Ok(())
}

/// Deletes a document whose chunks were deleted.
pub(crate) fn delete(conn: &mut DbConnection, number: i64) -> Result<(), DbError> {
    diesel::delete(documents::table.find(number)).execute(conn)?;
    Ok(())
}

fn gaps_column(document: &KnowledgeDocument) -> Option<String> {
    (!document.gaps.is_empty()).then(|| document.gaps.to_string())
}

fn document(columns: DocumentColumns) -> Result<KnowledgeDocument, DbError> {
    let place = || format!("documents, {}", columns.id);
    let format = DocumentFormat::from_word(&columns.format)
        .ok_or_else(|| DbError::Damaged(format!("{}: format {}", place(), columns.format)))?;
    let gaps = columns.gaps.as_deref().map(str::parse).transpose();
    let gaps = gaps.map_err(|error| DbError::Damaged(format!("{}: gaps: {error}", place())))?;
    Ok(KnowledgeDocument {
        gaps: gaps.unwrap_or_default(),
        bytes: from_column(columns.bytes, place)?,
        chunks: from_column(columns.chunks, place)?,
        id: columns.id,
        name: columns.name,
        source: columns.source,
        format,
        title: columns.title,
        language: columns.language,
        digest: Digest::new(columns.digest),
        author: columns.author,
        added_at: Timestamp(columns.added_at),
        changed_at: Timestamp(columns.changed_at),
        last_read_at: columns.last_read_at.map(Timestamp),
    })
}
