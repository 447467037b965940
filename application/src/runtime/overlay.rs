//! Rows as they will be once the changes of this turn are committed.

use std::sync::Arc;

use async_trait::async_trait;
use entracte_domain::id::WorkspaceKey;

use crate::ports::{Resource, ResourceChange, ResourceFilter, ResourceReader, StoreError};

/// A reader that sees changes which are not committed yet.
pub(super) struct Overlay {
    rows: Arc<dyn ResourceReader>,
    changes: Vec<ResourceChange>,
}

impl Overlay {
    /// These rows with these changes of the one workspace that is asked about.
    pub(super) fn new(rows: Arc<dyn ResourceReader>, changes: Vec<ResourceChange>) -> Self {
        Self { rows, changes }
    }

    /// What the changes make of a row.
    fn changed(&self, kind: &str, id: &str, mut row: Option<Resource>) -> Option<Resource> {
        for change in &self.changes {
            match change {
                ResourceChange::Create(new) | ResourceChange::Update { row: new, .. }
                    if new.kind == kind && new.id == id =>
                {
                    row = Some(new.clone());
                }
                ResourceChange::Delete { kind: gone_kind, id: gone, .. } => {
                    let lives_in = row.as_ref().and_then(|row| row.parent.as_deref()) == Some(gone);
                    if lives_in || (gone_kind == kind && gone == id) {
                        row = None;
                    }
                }
                ResourceChange::Create(_) | ResourceChange::Update { .. } => {}
            }
        }
        row
    }

    async fn all(
        &self,
        workspace: &WorkspaceKey,
        filter: &ResourceFilter,
    ) -> Result<Vec<Resource>, StoreError> {
        let whole = ResourceFilter { limit: None, offset: 0, ..filter.clone() };
        let mut rows = Vec::new();
        for row in self.rows.resources(workspace, &whole).await? {
            let id = row.id.clone();
            rows.extend(self.changed(&filter.kind, &id, Some(row)).filter(|row| lets_through(filter, row)));
        }
        for change in &self.changes {
            if let ResourceChange::Create(row) | ResourceChange::Update { row, .. } = change
                && lets_through(filter, row)
                && !rows.iter().any(|known| known.id == row.id)
                && let Some(row) = self.changed(&row.kind, &row.id, Some(row.clone()))
                && lets_through(filter, &row)
            {
                rows.push(row);
            }
        }
        rows.sort_by(|a, b| (a.at, &a.name, &a.id).cmp(&(b.at, &b.name, &b.id)));
        Ok(rows)
    }
}

fn lets_through(filter: &ResourceFilter, row: &Resource) -> bool {
    let from = filter.from.is_none_or(|from| row.at.is_some_and(|at| at >= from));
    let until = filter.until.is_none_or(|until| row.at.is_some_and(|at| at < until));
    let lives = filter.parent.as_ref().is_none_or(|parent| row.parent.as_ref() == Some(parent));
    row.kind == filter.kind && lives && from && until
}

#[async_trait]
impl ResourceReader for Overlay {
    async fn resource(
        &self,
        workspace: &WorkspaceKey,
        kind: &str,
        id: &str,
    ) -> Result<Option<Resource>, StoreError> {
        Ok(self.changed(kind, id, self.rows.resource(workspace, kind, id).await?))
    }

    async fn resources(
        &self,
        workspace: &WorkspaceKey,
        filter: &ResourceFilter,
    ) -> Result<Vec<Resource>, StoreError> {
        let rows = self.all(workspace, filter).await?;
        let most = filter.limit.map_or(usize::MAX, |limit| usize::try_from(limit).unwrap_or(usize::MAX));
        Ok(rows.into_iter().skip(filter.offset as usize).take(most).collect())
    }

    async fn count(&self, workspace: &WorkspaceKey, filter: &ResourceFilter) -> Result<u64, StoreError> {
        Ok(self.all(workspace, filter).await?.len() as u64)
    }
}
