//! Queries on `chunk_vectors`: embeddings of chunks, per model.

use diesel::dsl::{exists, not};
use diesel::prelude::*;
use entracte_application::ports::{DocumentChunk, NewChunkVector, QuantizedVector};
use entracte_domain::id::{Digest, WorkspaceKey};

use super::{chunks as of_chunks, libraries};
use crate::column_numbers::{from_column, to_column};
use crate::connection::DbConnection;
use crate::db_error::DbError;
use crate::schema::{chunk_vectors, chunks};

/// Bytes of a stored vector that contain its quantization step.
const SCALE_BYTES: usize = 4;

/// The chunks of a workspace without a vector of this model, after a number, by number.
pub(crate) fn missing(
    conn: &mut DbConnection,
    workspace: &WorkspaceKey,
    model: &str,
    after: u64,
    limit: u32,
) -> Result<Vec<DocumentChunk>, DbError> {
    let Some(library) = libraries::number(conn, workspace)? else { return Ok(Vec::new()) };
    let own = chunk_vectors::table
        .filter(chunk_vectors::chunk_id.eq(chunks::chunk_id))
        .filter(chunk_vectors::model.eq(model));
    let numbers: Vec<i64> = chunks::table
        .filter(chunks::library_id.eq(library))
        .filter(chunks::chunk_id.gt(to_column(after)?))
        .filter(not(exists(own)))
        .order(chunks::chunk_id)
        .limit(i64::from(limit))
        .select(chunks::chunk_id)
        .load(conn)?;
    let numbers: Result<Vec<u64>, DbError> =
        numbers.into_iter().map(|number| from_column(number, || format!("chunks, {number}"))).collect();
    of_chunks::list_by_numbers(conn, workspace, &numbers?)
}

/// The vectors of this model in a workspace, after a number, by number.
pub(crate) fn list(
    conn: &mut DbConnection,
    workspace: &WorkspaceKey,
    model: &str,
    after: u64,
    limit: u32,
) -> Result<Vec<(u64, QuantizedVector)>, DbError> {
    let Some(library) = libraries::number(conn, workspace)? else { return Ok(Vec::new()) };
    let rows: Vec<(i64, Vec<u8>)> = chunk_vectors::table
        .inner_join(chunks::table)
        .filter(chunks::library_id.eq(library))
        .filter(chunk_vectors::model.eq(model))
        .filter(chunk_vectors::chunk_id.gt(to_column(after)?))
        .order(chunk_vectors::chunk_id)
        .limit(i64::from(limit))
        .select((chunk_vectors::chunk_id, chunk_vectors::bytes))
        .load(conn)?;
    rows.into_iter()
        .map(|(number, bytes)| {
            let place = || format!("chunk_vectors, {number}");
            Ok((from_column(number, place)?, read(&bytes, place)?))
        })
        .collect()
}

/// The vector of this model for a text with this hash, in a workspace.
pub(crate) fn find_by_text_digest(
    conn: &mut DbConnection,
    library: i64,
    model: &str,
    digest: &Digest,
) -> Result<Option<QuantizedVector>, DbError> {
    let bytes: Option<Vec<u8>> = chunk_vectors::table
        .inner_join(chunks::table)
        .filter(chunk_vectors::digest.eq(digest.as_str()))
        .filter(chunk_vectors::model.eq(model))
        .filter(chunks::library_id.eq(library))
        .select(chunk_vectors::bytes)
        .first(conn)
        .optional()?;
    bytes.map(|bytes| read(&bytes, || format!("chunk_vectors, text {digest}"))).transpose()
}

/// Inserts or replaces a vector; returns whether its chunk exists.
pub(crate) fn upsert_vector(
    conn: &mut DbConnection,
    library: i64,
    model: &str,
    new: &NewChunkVector,
) -> Result<bool, DbError> {
    let number = to_column(new.chunk)?;
    let here = chunks::table.find(number).filter(chunks::library_id.eq(library)).select(chunks::chunk_id);
    if here.get_result::<i64>(conn).optional()?.is_none() {
        return Ok(false);
    }
    diesel::delete(chunk_vectors::table.find((number, model))).execute(conn)?;
    insert(conn, number, model, new.digest.as_str(), &written(&new.vector))?;
    Ok(true)
}

/// Deletes the vectors of all other models from a workspace; returns their number.
pub(crate) fn delete_other_models(
    conn: &mut DbConnection,
    library: i64,
    model: &str,
) -> Result<usize, DbError> {
    let here = chunks::table
        .filter(chunks::chunk_id.eq(chunk_vectors::chunk_id))
        .filter(chunks::library_id.eq(library));
    let others = chunk_vectors::table.filter(chunk_vectors::model.ne(model)).filter(exists(here));
    Ok(diesel::delete(others).execute(conn)?)
}

/// Number of chunks of a workspace with a vector of this model.
pub(crate) fn count(conn: &mut DbConnection, library: i64, model: &str) -> Result<i64, DbError> {
    let own = chunk_vectors::table
        .inner_join(chunks::table)
        .filter(chunks::library_id.eq(library))
        .filter(chunk_vectors::model.eq(model));
    Ok(own.count().get_result(conn)?)
}

/// The vectors of a document, each with headings and text of its chunk; for [`restore_document_vectors`].
pub(crate) struct DocumentVectors(Vec<DocumentVectorColumns>);

type DocumentVectorColumns = (String, String, String, String, Vec<u8>);

/// Loads the vectors of a document that is about to be replaced.
pub(crate) fn load_document_vectors(
    conn: &mut DbConnection,
    document: i64,
) -> Result<DocumentVectors, DbError> {
    let rows = chunk_vectors::table
        .inner_join(chunks::table)
        .filter(chunks::document_id.eq(document))
        .select((
            chunks::heading,
            chunks::text,
            chunk_vectors::model,
            chunk_vectors::digest,
            chunk_vectors::bytes,
        ))
        .load(conn)?;
    Ok(DocumentVectors(rows))
}

/// Restores the vectors of unchanged chunks after a document was replaced, so that the embedding model is not called
/// for them.
pub(crate) fn restore_document_vectors(
    conn: &mut DbConnection,
    document: i64,
    kept: &DocumentVectors,
) -> Result<(), DbError> {
    if kept.0.is_empty() {
        return Ok(());
    }
    let rows: Vec<(i64, String, String)> = chunks::table
        .filter(chunks::document_id.eq(document))
        .select((chunks::chunk_id, chunks::heading, chunks::text))
        .load(conn)?;
    let mut by_words = std::collections::HashMap::<(&str, &str), Vec<&DocumentVectorColumns>>::new();
    for row in &kept.0 {
        let same = by_words.entry((row.0.as_str(), row.1.as_str())).or_default();
        if same.iter().all(|known| known.2 != row.2) {
            same.push(row);
        }
    }
    for (number, heading, text) in &rows {
        for (_, _, model, digest, bytes) in
            by_words.get(&(heading.as_str(), text.as_str())).into_iter().flatten()
        {
            insert(conn, *number, model, digest, bytes)?;
        }
    }
    Ok(())
}

fn insert(
    conn: &mut DbConnection,
    number: i64,
    model: &str,
    digest: &str,
    bytes: &[u8],
) -> Result<(), DbError> {
    diesel::insert_into(chunk_vectors::table)
        .values((
            chunk_vectors::chunk_id.eq(number),
            chunk_vectors::model.eq(model),
            chunk_vectors::digest.eq(digest),
            chunk_vectors::bytes.eq(bytes),
        ))
        .execute(conn)?;
    Ok(())
}

fn written(vector: &QuantizedVector) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(SCALE_BYTES + vector.bytes.len());
    bytes.extend_from_slice(&vector.scale.to_le_bytes());
    bytes.extend_from_slice(&vector.bytes);
    bytes
}

fn read(bytes: &[u8], place: impl Fn() -> String) -> Result<QuantizedVector, DbError> {
    let damaged = || DbError::Damaged(format!("{}: it is not a vector", place()));
    let (scale, numbers) = bytes.split_first_chunk::<SCALE_BYTES>().ok_or_else(damaged)?;
    let scale = f32::from_le_bytes(*scale);
    if !scale.is_finite() {
        return Err(damaged());
    }
    Ok(QuantizedVector { scale, bytes: numbers.to_vec() })
}
