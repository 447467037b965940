//! Resource rows as they will be once the changes of this turn are committed.

use std::sync::Arc;

use async_trait::async_trait;
use entracte_domain::id::WorkspaceKey;

use crate::ports::{ResourceChange, ResourceFilter, ResourceReader, ResourceRow, StoreError};

/// The rows of one workspace with changes that are not committed yet.
pub(super) struct ResourceOverlay {
    rows: Arc<dyn ResourceReader>,
    changes: Vec<ResourceChange>,
}

#[async_trait]
impl ResourceReader for ResourceOverlay {
    async fn resources(
        &self,
        workspace: &WorkspaceKey,
        filter: &ResourceFilter,
    ) -> Result<Vec<ResourceRow>, StoreError> {
        if self.changes.is_empty() {
            return self.rows.resources(workspace, filter).await;
        }
        // A change may bring a row into the instants and to the parent that are asked for.
        let of_kind = ResourceFilter { kind: filter.kind.clone(), ..ResourceFilter::default() };
        let rows = self.rows.resources(workspace, &of_kind).await?;
        Ok(filter.select_matching(&self.with_changes(&filter.kind, rows)))
    }

    /// Reads no more rows than it needs: a parent may have any number of children.
    async fn last_resources(
        &self,
        workspace: &WorkspaceKey,
        filter: &ResourceFilter,
        most: u32,
    ) -> Result<Vec<ResourceRow>, StoreError> {
        // A change removes at most one row of a parent that stays, so this many are enough for the last rows after all
        // changes.
        let changes = u32::try_from(self.changes.len()).unwrap_or(u32::MAX);
        let rows = self.rows.last_resources(workspace, filter, most.saturating_add(changes)).await?;
        let whole = ResourceFilter { limit: None, offset: 0, ..filter.clone() };
        let mut rows = whole.select_matching(&self.with_changes(&filter.kind, rows));
        rows.drain(..rows.len().saturating_sub(most as usize));
        Ok(rows)
    }
}

impl ResourceOverlay {
    /// Overlays `rows` with `changes`.
    pub(super) fn new(rows: Arc<dyn ResourceReader>, changes: Vec<ResourceChange>) -> Self {
        Self { rows, changes }
    }

    /// These rows after the changes, with the rows of that kind that the changes create or replace.
    fn with_changes(&self, kind: &str, rows: Vec<ResourceRow>) -> Vec<ResourceRow> {
        let mut after: Vec<ResourceRow> = Vec::new();
        for row in rows {
            let (kind, id) = (row.kind.clone(), row.id.clone());
            after.extend(self.changed(&kind, &id, Some(row)));
        }
        for change in &self.changes {
            if let ResourceChange::Create(row) | ResourceChange::Update { row, .. } = change
                && row.kind == kind
                && !after.iter().any(|known| known.id == row.id)
            {
                after.extend(self.changed(&row.kind, &row.id, None));
            }
        }
        after
    }

    /// A row after the changes; `None` if it does not exist then.
    fn changed(&self, kind: &str, id: &str, mut row: Option<ResourceRow>) -> Option<ResourceRow> {
        for change in &self.changes {
            match change {
                ResourceChange::Create(new) | ResourceChange::Update { row: new, .. } => {
                    if new.kind == kind && new.id == id {
                        row = Some(new.clone());
                    }
                }
                ResourceChange::Delete { kind: gone_kind, id: gone, .. } => {
                    let lives_in = row.as_ref().and_then(|row| row.parent.as_deref()) == Some(gone);
                    if lives_in || (gone_kind == kind && gone == id) {
                        row = None;
                    }
                }
            }
        }
        row
    }
}

#[cfg(test)]
mod tests {
    use entracte_domain::time::Timestamp;

    use super::*;
    use crate::ports::MockResourceReader;

    fn entry(number: i64) -> ResourceRow {
        ResourceRow {
            kind: "entry".into(),
            id: format!("e{number}"),
            parent: Some("tool".into()),
            parent_kind: Some("tool".into()),
            name: String::new(),
            at: Some(Timestamp(number)),
            version: 1,
            body: String::new(),
            created_at: Timestamp(0),
            updated_at: Timestamp(0),
        }
    }

    /// A reader of a tool with the entries 1 to 9 that fails when too many rows are read.
    fn reader() -> Arc<dyn ResourceReader> {
        let mut rows = MockResourceReader::new();
        rows.expect_last_resources().returning(|_, _, most| {
            assert!(most <= 5, "no more is read than is needed");
            Ok((1..=9).map(entry).skip(9 - most as usize).collect())
        });
        Arc::new(rows)
    }

    async fn last(changes: &[ResourceChange], most: u32) -> Vec<String> {
        let workspace = WorkspaceKey::new("ann:home");
        let overlay = ResourceOverlay::new(reader(), changes.to_vec());
        let filter =
            ResourceFilter { kind: "entry".into(), parent: Some("tool".into()), ..ResourceFilter::default() };
        let rows = overlay.last_resources(&workspace, &filter, most).await.unwrap();
        rows.into_iter().map(|row| row.id).collect()
    }

    #[tokio::test]
    async fn the_last_rows_are_those_after_the_changes() {
        let gone = |number: i64| ResourceChange::Delete {
            kind: "entry".into(),
            id: format!("e{number}"),
            expected: 1,
        };
        let moved = |number: i64, to: i64| ResourceChange::Update {
            row: ResourceRow { at: Some(Timestamp(to)), ..entry(number) },
            expected: 1,
        };
        assert_eq!(last(&[], 3).await, ["e7", "e8", "e9"]);
        assert_eq!(last(&[gone(9), gone(8)], 3).await, ["e5", "e6", "e7"]);
        assert_eq!(last(&[ResourceChange::Create(entry(10))], 3).await, ["e8", "e9", "e10"]);
        assert_eq!(last(&[moved(9, 1), moved(2, 20)], 3).await, ["e7", "e8", "e2"]);
        assert_eq!(last(&[ResourceChange::Create(entry(10)), gone(10)], 2).await, ["e8", "e9"]);
        assert_eq!(last(&[], 0).await, Vec::<String>::new());
    }
}
