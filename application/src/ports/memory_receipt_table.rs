//! What was done under a key, so that asking again does it no second time.

use std::collections::BTreeMap;

use entracte_domain::id::{Digest, WorkspaceKey};
use entracte_domain::time::Timestamp;

use super::CommitError;
use crate::mail::ReceiptKey;

/// That something was done under a key, and what was answered.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "rows-serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ReceiptRow {
    /// Whose key.
    pub key: ReceiptKey,
    /// Of what was asked: another one under the same key is another request.
    #[cfg_attr(feature = "rows-serde", serde(with = "super::serde_rows"))]
    pub fingerprint: Digest,
    /// The answer, encoded.
    pub answer: Vec<u8>,
    /// When it was done.
    #[cfg_attr(feature = "rows-serde", serde(with = "super::serde_rows"))]
    pub created_at: Timestamp,
}

/// Receipts, for stores that have no database to keep them.
#[derive(Clone, Debug, Default)]
pub struct MemoryReceiptTable(BTreeMap<(WorkspaceKey, ReceiptKey), ReceiptRow>);

impl MemoryReceiptTable {
    /// Receipts as they were kept, each with its workspace.
    pub fn load(rows: impl IntoIterator<Item = (WorkspaceKey, ReceiptRow)>) -> Self {
        Self(rows.into_iter().map(|(workspace, row)| ((workspace, row.key.clone()), row)).collect())
    }

    /// All of them with their workspaces, to be kept.
    pub fn rows(&self) -> impl Iterator<Item = (&WorkspaceKey, &ReceiptRow)> {
        self.0.iter().map(|((workspace, _), row)| (workspace, row))
    }

    /// Keeps one, and forgets those of its workspace that were made before `before`.
    ///
    /// # Errors
    /// [`CommitError::Conflict`] when there is one under the key that is not forgotten with it.
    pub fn insert_receipt(
        &mut self,
        workspace: &WorkspaceKey,
        row: ReceiptRow,
        before: Timestamp,
    ) -> Result<(), CommitError> {
        self.0.retain(|(of, _), row| of != workspace || row.created_at >= before);
        let key = (workspace.clone(), row.key.clone());
        if self.0.contains_key(&key) {
            return Err(CommitError::Conflict(format!("the receipt {}", row.key.key)));
        }
        self.0.insert(key, row);
        Ok(())
    }

    /// Those under these keys, in the order of the keys.
    pub fn find_receipts(&self, workspace: &WorkspaceKey, keys: &[ReceiptKey]) -> Vec<ReceiptRow> {
        let find = |key: &ReceiptKey| self.0.get(&(workspace.clone(), key.clone())).cloned();
        keys.iter().filter_map(find).collect()
    }
}
