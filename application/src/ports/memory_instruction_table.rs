use std::collections::BTreeMap;

use entracte_domain::id::WorkspaceKey;

use super::CommitError;
use crate::instructions::{InstructionScope, InstructionVersion};

/// Instruction versions in memory, for stores without a database.
#[derive(Clone, Debug, Default)]
pub struct MemoryInstructionTable {
    /// Per scope, in version order.
    kept: BTreeMap<(WorkspaceKey, InstructionScope), Vec<InstructionVersion>>,
}

impl MemoryInstructionTable {
    /// Restores the table from saved versions, in any order, each with its workspace.
    pub fn load(rows: impl IntoIterator<Item = (WorkspaceKey, InstructionVersion)>) -> Self {
        let mut kept: BTreeMap<_, Vec<InstructionVersion>> = BTreeMap::new();
        for (workspace, row) in rows {
            kept.entry((workspace, row.scope.clone())).or_default().push(row);
        }
        kept.values_mut().for_each(|versions| versions.sort_by_key(|row| row.version));
        Self { kept }
    }

    /// All versions with their workspaces, for saving.
    pub fn rows(&self) -> impl Iterator<Item = (&WorkspaceKey, &InstructionVersion)> {
        self.kept
            .iter()
            .flat_map(|((workspace, _), versions)| versions.iter().map(move |row| (workspace, row)))
    }

    /// Appends a version and retains at most the `keep` latest of its scope; 0 = all.
    ///
    /// # Errors
    /// [`CommitError::Conflict`] when it does not follow the latest version.
    pub fn append_version(
        &mut self,
        workspace: &WorkspaceKey,
        row: InstructionVersion,
        keep: u32,
    ) -> Result<(), CommitError> {
        let versions = self.kept.entry((workspace.clone(), row.scope.clone())).or_default();
        let latest = versions.last().map_or(0, |last| last.version);
        if row.version != latest + 1 {
            let (scope, version) = (row.scope.name(), row.version);
            let text = format!("instructions of {scope} (version {version} after {latest})");
            return Err(CommitError::Conflict(text));
        }
        versions.push(row);
        if keep > 0 {
            versions.drain(..versions.len().saturating_sub(keep as usize));
        }
        Ok(())
    }

    /// Deletes all versions of a removed scope.
    pub fn delete_scope(&mut self, workspace: &WorkspaceKey, scope: InstructionScope) {
        self.kept.remove(&(workspace.clone(), scope));
    }

    /// The latest version of each of these scopes, in their order.
    pub fn latest(&self, workspace: &WorkspaceKey, scopes: &[InstructionScope]) -> Vec<InstructionVersion> {
        let last =
            |scope: &InstructionScope| self.kept.get(&(workspace.clone(), scope.clone()))?.last().cloned();
        scopes.iter().filter_map(last).collect()
    }

    /// The versions of a scope before that one (`None`: all), latest first, at most `limit`.
    pub fn versions(
        &self,
        workspace: &WorkspaceKey,
        scope: &InstructionScope,
        before: Option<u64>,
        limit: u32,
    ) -> Vec<InstructionVersion> {
        let all = self.kept.get(&(workspace.clone(), scope.clone())).into_iter().flatten().rev();
        let older = all.filter(|row| before.is_none_or(|before| row.version < before));
        older.take(limit as usize).cloned().collect()
    }
}
