//! Processes that use the same documents of a server at the same time.

use entracte_application::ports::{UnreadDocumentCondition, UnreadRemovalOutcome};
use entracte_domain::id::WorkspaceKey;
use entracte_domain::time::Timestamp;
use entracte_tests::contracts::knowledge_store::document;
use entracte_tests::postgres::TestDatabase;

/// Of a workspace without a row.
fn unread_before(before: i64) -> UnreadDocumentCondition {
    UnreadDocumentCondition { before: Timestamp(before), workspace_seq: None }
}

/// Input: a document that another process replaces, or notes a read of, while it is removed as unread; expected: it stays.
#[tokio::test(flavor = "multi_thread")]
async fn document_used_meanwhile_stays() {
    let uses = [
        "UPDATE libraries SET revision = revision + 1; UPDATE documents SET changed_at = 99",
        "SELECT document_id FROM documents FOR KEY SHARE; \
         INSERT INTO document_reads (document_id, last_read_at) SELECT document_id, 99 FROM documents",
    ];
    for used in uses {
        let Some(made) = TestDatabase::make() else { return };
        let (store, home) = (made.open().knowledge_store(), WorkspaceKey::new("ann:home"));
        store.write_document(&home, document("doc_1", "a.md", &["train"]), 9).await.unwrap();
        let using = made.begin(used);
        let removing = tokio::spawn({
            let (store, home) = (store.clone(), home.clone());
            async move { store.remove_unread(&home, "doc_1", unread_before(50)).await }
        });
        made.wait_for_blocked_statement().await;
        using.commit();
        assert_eq!(removing.await.unwrap().unwrap(), UnreadRemovalOutcome::Kept, "{used}");
        assert!(store.document(&home, "doc_1").await.unwrap().is_some());
        let removed = store.remove_unread(&home, "doc_1", unread_before(100)).await.unwrap();
        assert_eq!(removed, UnreadRemovalOutcome::Removed);
    }
}

/// Input: a read of a document that another process removes; expected: it is not noted, and that is no error.
#[tokio::test(flavor = "multi_thread")]
async fn read_of_a_document_that_goes_is_no_error() {
    let Some(made) = TestDatabase::make() else { return };
    let (store, home) = (made.open().knowledge_store(), WorkspaceKey::new("ann:home"));
    store.write_document(&home, document("doc_1", "a.md", &["train"]), 9).await.unwrap();
    let removing = made.begin("DELETE FROM chunks; DELETE FROM documents");
    let noting = tokio::spawn({
        let (store, home) = (store.clone(), home.clone());
        async move { store.note_reads(&home, &["doc_1".to_owned()], Timestamp(50)).await }
    });
    made.wait_for_blocked_statement().await;
    removing.commit();
    noting.await.unwrap().unwrap();
    assert_eq!(store.document(&home, "doc_1").await.unwrap(), None);
}
