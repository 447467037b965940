//! Queries on `terms`: in how many chunks of a library each stands.

use std::collections::{BTreeMap, BTreeSet};

use diesel::prelude::*;
use entracte_domain::id::WorkspaceKey;

use super::libraries;
use crate::column_numbers::from_column;
use crate::connection::DbConnection;
use crate::db_error::DbError;
use crate::dialect;
use crate::schema::terms;

/// What some chunks are to the counts: in how many of them each term stands, and how many terms they have in all.
#[derive(Debug, Default)]
pub(crate) struct TermCounts {
    /// By term.
    pub(crate) chunks: BTreeMap<String, i64>,
    /// Each as often as it stands there.
    pub(crate) all: i64,
}

impl TermCounts {
    /// One more chunk.
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

    /// What stands in `before` is taken away; what did not change is left out.
    pub(crate) fn subtract(mut self, before: TermCounts) -> TermCounts {
        for (term, count) in before.chunks {
            *self.chunks.entry(term).or_insert(0) -= count;
        }
        self.chunks.retain(|_, count| *count != 0);
        self.all -= before.all;
        self
    }
}

/// Adds to the counts; a term that stands in no chunk any more has no row.
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

/// In how many chunks each of these stands.
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
