//! Receipts of requests that were executed under an idempotency key, so that a repetition is not executed again.

use std::collections::BTreeMap;

use entracte_domain::id::{Digest, WorkspaceKey};
use entracte_domain::time::Timestamp;

use super::CommitError;
use crate::mail::ReceiptKey;

/// The stored answer to a request that was executed under an idempotency key.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "rows-serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ReceiptRow {
    /// The idempotency key, with its author.
    pub key: ReceiptKey,
    /// The hash of the request: a different one under the same key is a different request.
    #[cfg_attr(feature = "rows-serde", serde(with = "super::serde_rows"))]
    pub fingerprint: Digest,
    /// The encoded answer.
    pub answer: Vec<u8>,
    /// When the request was executed.
    #[cfg_attr(feature = "rows-serde", serde(with = "super::serde_rows"))]
    pub created_at: Timestamp,
}

/// Receipts in memory, for stores without a database.
#[derive(Clone, Debug, Default)]
pub struct MemoryReceiptTable(BTreeMap<(WorkspaceKey, ReceiptKey), ReceiptRow>);

impl MemoryReceiptTable {
    /// Restores the table from saved receipts, each with its workspace.
    pub fn load(rows: impl IntoIterator<Item = (WorkspaceKey, ReceiptRow)>) -> Self {
        Self(rows.into_iter().map(|(workspace, row)| ((workspace, row.key.clone()), row)).collect())
    }

    /// All receipts with their workspaces, for saving.
    pub fn rows(&self) -> impl Iterator<Item = (&WorkspaceKey, &ReceiptRow)> {
        self.0.iter().map(|((workspace, _), row)| (workspace, row))
    }

    /// Inserts a receipt, and deletes those of its workspace that were created before `before`.
    ///
    /// # Errors
    /// [`CommitError::Conflict`] when a receipt exists under the key that is not deleted by this call.
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

    /// The receipts under these keys, in the order of the keys.
    pub fn find_receipts(&self, workspace: &WorkspaceKey, keys: &[ReceiptKey]) -> Vec<ReceiptRow> {
        let find = |key: &ReceiptKey| self.0.get(&(workspace.clone(), key.clone())).cloned();
        keys.iter().filter_map(find).collect()
    }
}
