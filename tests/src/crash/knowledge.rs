//! Adds one document and removes another, the same in each process: a killed process left each change complete or not
//! at all.

#![expect(clippy::expect_used, reason = "this is a test, in a program")]

use entracte_adapters_db::Database;
use entracte_application::ports::{ChunkQuery, DocumentWriteOutcome};
use entracte_domain::id::SessionId;

use super::scenario_run::workspace;
use crate::contracts::knowledge_store::document;

/// Maximum number of documents of the workspace.
const MOST: u64 = 9;

/// Adds one document, and adds and removes another.
pub(super) async fn add_and_remove_documents(database: &Database, session: &SessionId) {
    let (store, home) = (database.knowledge_store(), workspace(session));
    let guide = document(&format!("doc_{session}"), "guide.md", &["train ticket", "hotel"]);
    let put = store.write_document(&home, guide.clone(), MOST).await.expect("the document is kept");
    assert!(matches!(put, DocumentWriteOutcome::Added(_) | DocumentWriteOutcome::Replaced(_)), "{put:?}");
    let passing = document(&format!("doc_{session}_2"), "passing.md", &["train"]);
    store.write_document(&home, passing, MOST).await.expect("the other one is kept");
    let other = store.document(&home, "passing.md").await.expect("documents are read").expect("it is there");
    assert!(store.remove(&home, &other.id).await.expect("it is removed"));
    let any = ChunkQuery::Any(vec!["train".into(), "hotel".into()]);
    let found = store.search_chunks(&home, &any, 9).await.expect("the index is read");
    assert_eq!(found.len(), guide.chunks.len(), "the document is whole, and nothing is left of the other");
    let library = store.library(&home).await.expect("the library is read");
    assert_eq!((library.documents, library.chunks), (1, 2), "what is counted is what is there");
}
