use std::collections::BTreeSet;

use entracte_domain::id::WorkspaceKey;

use crate::ports::{Clock, KnowledgeDocument, KnowledgeStore};

/// Notes that documents were read now, at most once a day each. A failure does not fail the read.
pub(super) async fn note_reads<'a>(
    store: &dyn KnowledgeStore,
    clock: &dyn Clock,
    workspace: &WorkspaceKey,
    documents: impl IntoIterator<Item = &'a KnowledgeDocument>,
) {
    let now = clock.now();
    let due = documents.into_iter().filter(|document| document.needs_read_note(now));
    let ids: BTreeSet<String> = due.map(|document| document.id.clone()).collect();
    if ids.is_empty() {
        return;
    }
    let ids: Vec<String> = ids.into_iter().collect();
    if let Err(error) = store.note_reads(workspace, &ids, now).await {
        tracing::warn!(%workspace, %error, "it cannot be noted now that documents were read");
    }
}
