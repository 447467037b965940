//! Documents that nobody read or found for so long.

use entracte_domain::id::WorkspaceKey;
use entracte_domain::time::{Millis, Timestamp};

use super::planner::RetentionPlanError;
use super::planner_ports::RetentionPlannerPorts;
use crate::codec::WorkspaceBody;
use crate::instructions::InstructionScope;
use crate::ports::{KnowledgeDocument, KnowledgeStore, READ_NOTE_INTERVAL, StoreError};
use crate::retention::RetentionCount;
use crate::settings::{RetentionSettings, RetentionSubject};

/// Documents read at once.
const PAGE: u32 = 200;

/// Which documents of a workspace go.
pub(crate) struct DocumentCutoff {
    /// The time before which a document must have been changed and read last.
    pub(crate) before: Timestamp,
    /// The number of the workspace when this was read.
    pub(super) workspace_seq: u64,
    /// All limits in force, in the text form of the policy.
    pub(super) limits: String,
}

/// Which documents of a workspace go now; `None` if all stay, also those of a workspace without a row: its owner would have
/// to create one to agree to the limits.
///
/// # Errors
/// When the row of the workspace cannot be read.
pub(crate) async fn read_document_cutoff(
    ports: RetentionPlannerPorts<'_>,
    workspace: &WorkspaceKey,
    settings: &RetentionSettings,
    now: Timestamp,
) -> Result<Option<DocumentCutoff>, RetentionPlanError> {
    let Some(row) = ports.store.workspace(workspace).await? else { return Ok(None) };
    let body = WorkspaceBody::decode(&row.body)?;
    if body.holds.iter().any(|hold| hold.scope == InstructionScope::Workspace) {
        return Ok(None);
    }
    let policy = settings.policy.with_overrides(&body.settings.retention);
    let Some(age_cutoff) = policy.limit(RetentionSubject::Documents).age_cutoff(now) else { return Ok(None) };
    // A document may have been read so long after the last note of it.
    let before = age_cutoff.plus(Millis(-READ_NOTE_INTERVAL.0));
    Ok(Some(DocumentCutoff { before, workspace_seq: row.seq, limits: policy.text() }))
}

/// The documents of a workspace that were changed and read before an instant, by name.
///
/// # Errors
/// When they cannot be read.
pub(crate) async fn list_unread_documents(
    knowledge: &dyn KnowledgeStore,
    workspace: &WorkspaceKey,
    before: Timestamp,
) -> Result<Vec<KnowledgeDocument>, StoreError> {
    let (mut unread, mut after) = (Vec::new(), None);
    loop {
        let page = knowledge.documents(workspace, after.take(), PAGE).await?;
        let Some(last) = page.last() else { return Ok(unread) };
        after = Some(last.name.clone());
        unread.extend(page.into_iter().filter(|document| document.last_used_at() < before));
    }
}

/// A document that goes, with its text.
pub(crate) const fn count_of_document(document: &KnowledgeDocument) -> RetentionCount {
    RetentionCount { rows: 1, bytes: document.bytes }
}
