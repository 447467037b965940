//! Queries on `terms`: the number of chunks of a library that contain each term.

use std::collections::{BTreeMap, BTreeSet};

use diesel::prelude::*;
use entracte_domain::id::WorkspaceKey;

use super::libraries;
use crate::column_numbers::from_column;
use crate::connection::DbConnection;
use crate::db_error::DbError;
use crate::dialect;
use crate::schema::terms;

/// Term counts of some chunks: chunks per term, and total terms.
#[derive(Debug, Default)]
pub(crate) struct TermCounts {
    /// Number of chunks, by term.
    pub(crate) chunks: BTreeMap<String, i64>,
    /// Number of all term occurrences.
    pub(crate) all: i64,
}

impl TermCounts {
    /// Adds the terms of one chunk.
    pub(crate) fn add<'a>(&mut self, terms: impl Iterator<Item = &'a str>) {
        let mut once = BTreeSet::new();
        for term in terms.filter(|term| !term.is_empty()) {
            self.all += 1;
            once.insert(term);
        }
        for term in once {
            match self.chunks.get_mut(term) {
                Some(count) => *count += 1,
                None => drop(self.chunks.insert(term.to_owned(), 1)),
            }
        }
    }

    /// Subtracts the counts of `before`; unchanged terms are left out.
    pub(crate) fn subtract(mut self, before: TermCounts) -> TermCounts {
        for (term, count) in before.chunks {
            *self.chunks.entry(term).or_insert(0) -= count;
        }
        self.chunks.retain(|_, count| *count != 0);
        self.all -= before.all;
        self
    }
}

/// Adds to the stored counts; a term in no chunk has no row.
pub(crate) fn add_term_counts(
    conn: &mut DbConnection,
    library: i64,
    counts: &TermCounts,
) -> Result<(), DbError> {
    dialect::count_terms(conn, library, &counts.chunks)?;
    if counts.chunks.values().any(|count| *count < 0) {
        let gone = terms::table.filter(terms::library_id.eq(library)).filter(terms::chunks.le(0));
        diesel::delete(gone).execute(conn)?;
    }
    Ok(())
}

/// The number of chunks that contain each of these terms.
pub(crate) fn frequencies(
    conn: &mut DbConnection,
    workspace: &WorkspaceKey,
    wanted: &[String],
) -> Result<Vec<(String, u64)>, DbError> {
    let Some(library) = libraries::number(conn, workspace)? else { return Ok(Vec::new()) };
    let mut found = Vec::new();
    for term in wanted {
        let row = terms::table.find((library, term)).select(terms::chunks).get_result::<i64>(conn);
        if let Some(chunks) = row.optional()?.filter(|chunks| *chunks > 0) {
            found.push((term.clone(), from_column(chunks, || format!("terms, {term}"))?));
        }
    }
    Ok(found)
}
