//! Queries on `libraries`: the knowledge counts of each workspace.

use diesel::prelude::*;
use entracte_application::ports::KnowledgeStatistics;
use entracte_domain::id::WorkspaceKey;

use crate::column_numbers::from_column;
use crate::connection::DbConnection;
use crate::db_error::{DbError, to_conflict};
use crate::prepared_statements::PreparedQuery;
use crate::schema::{documents, libraries};

/// Changes of a library's counts; negative for removals.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct LibraryCountDelta {
    pub(crate) documents: i64,
    pub(crate) chunks: i64,
    pub(crate) terms: i64,
}

/// The number of a library inside the database.
pub(crate) fn number(conn: &mut DbConnection, workspace: &WorkspaceKey) -> Result<Option<i64>, DbError> {
    let query = libraries::table.filter(libraries::workspace.eq(workspace.as_str()));
    Ok(query.select(libraries::library_id).get_result(conn).optional()?)
}

/// Increments the revision, creating the library if necessary; returns its number and document count. Every write of
/// documents begins here, which serializes the writes of a workspace. A concurrent creation by another process is a
/// conflict.
pub(crate) fn begin_revision(
    conn: &mut DbConnection,
    workspace: &WorkspaceKey,
) -> Result<(i64, i64), DbError> {
    let known = libraries::table.filter(libraries::workspace.eq(workspace.as_str()));
    let counted = PreparedQuery(
        diesel::update(known)
            .set(libraries::revision.eq(libraries::revision + 1))
            .returning((libraries::library_id, libraries::documents)),
    );
    if let Some(known) = counted.get_result::<(i64, i64)>(conn).optional()? {
        return Ok(known);
    }
    let made = diesel::insert_into(libraries::table)
        .values((
            libraries::workspace.eq(workspace.as_str()),
            libraries::documents.eq(0),
            libraries::chunks.eq(0),
            libraries::terms.eq(0),
            libraries::revision.eq(1),
        ))
        .returning(libraries::library_id)
        .get_result::<i64>(conn)
        .map_err(|error| to_conflict(error, || format!("library of {workspace}")))?;
    Ok((made, 0))
}

/// Adds a change to the counts.
pub(crate) fn add_counts(
    conn: &mut DbConnection,
    library: i64,
    change: LibraryCountDelta,
) -> Result<(), DbError> {
    let update = diesel::update(libraries::table.find(library))
        .set((
            libraries::documents.eq(libraries::documents + change.documents),
            libraries::chunks.eq(libraries::chunks + change.chunks),
            libraries::terms.eq(libraries::terms + change.terms),
        ))
        .returning(libraries::library_id);
    PreparedQuery(update).get_result::<i64>(conn).optional()?;
    Ok(())
}

/// The counts of a workspace.
pub(crate) fn find(
    conn: &mut DbConnection,
    workspace: &WorkspaceKey,
) -> Result<KnowledgeStatistics, DbError> {
    let row = libraries::table
        .filter(libraries::workspace.eq(workspace.as_str()))
        .get_result::<(i64, String, i64, i64, i64, i64)>(conn)
        .optional()?;
    let Some((number, _, documents, chunks, terms, revision)) = row else {
        return Ok(KnowledgeStatistics::default());
    };
    let place = || format!("libraries, {workspace}");
    let languages = documents::table
        .filter(documents::library_id.eq(number))
        .select(documents::language)
        .distinct()
        .order(documents::language)
        .load(conn)?;
    Ok(KnowledgeStatistics {
        documents: from_column(documents, place)?,
        chunks: from_column(chunks, place)?,
        terms: from_column(terms, place)?,
        revision: from_column(revision, place)?,
        languages,
    })
}
