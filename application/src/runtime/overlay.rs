//! Resource rows as they will be once the changes of this turn are committed.

use std::sync::Arc;

use entracte_domain::id::WorkspaceKey;

use crate::ports::{ResourceChange, ResourceFilter, ResourceReader, ResourceRow, StoreError};

/// The rows of one workspace with changes that are not committed yet.
pub(super) struct ResourceOverlay<'a> {
    rows: Arc<dyn ResourceReader>,
    workspace: &'a WorkspaceKey,
    changes: &'a [ResourceChange],
}

impl<'a> ResourceOverlay<'a> {
    /// Overlays `rows` with `changes`.
    pub(super) fn new(
        rows: Arc<dyn ResourceReader>,
        workspace: &'a WorkspaceKey,
        changes: &'a [ResourceChange],
    ) -> Self {
        Self { rows, workspace, changes }
    }

    /// All rows of a kind, in the readers' order.
    pub(super) async fn all(&self, kind: &str) -> Result<Vec<ResourceRow>, StoreError> {
        let filter = ResourceFilter { kind: kind.to_owned(), ..ResourceFilter::default() };
        let rows = self.rows.resources(self.workspace, &filter).await?;
        Ok(self.with_changes(&filter, rows))
    }

    /// The last rows of a kind below `parent`, at most `most`, in the readers' order. Reads no more rows than it
    /// needs: a tool may have any number of entries.
    pub(super) async fn last(
        &self,
        kind: &str,
        parent: &str,
        most: u32,
    ) -> Result<Vec<ResourceRow>, StoreError> {
        let filter = ResourceFilter {
            kind: kind.to_owned(),
            parent: Some(parent.to_owned()),
            ..ResourceFilter::default()
        };
        // A change removes at most one row, so this many are enough for the last rows after all changes.
        let changes = u32::try_from(self.changes.len()).unwrap_or(u32::MAX);
        let window = most.saturating_add(changes);
        let count = u32::try_from(self.rows.count(self.workspace, &filter).await?).unwrap_or(u32::MAX);
        let page =
            ResourceFilter { offset: count.saturating_sub(window), limit: Some(window), ..filter.clone() };
        let rows = self.rows.resources(self.workspace, &page).await?;
        let mut rows = self.with_changes(&filter, rows);
        rows.drain(..rows.len().saturating_sub(most as usize));
        Ok(rows)
    }

    fn with_changes(&self, filter: &ResourceFilter, rows: Vec<ResourceRow>) -> Vec<ResourceRow> {
        if self.changes.is_empty() {
            return rows;
        }
        let mut after: Vec<ResourceRow> = Vec::new();
        for row in rows {
            let (kind, id) = (row.kind.clone(), row.id.clone());
            after.extend(self.changed(&kind, &id, Some(row)));
        }
        for change in self.changes {
            if let ResourceChange::Create(row) | ResourceChange::Update { row, .. } = change
                && row.kind == filter.kind
                && !after.iter().any(|known| known.id == row.id)
            {
                after.extend(self.changed(&row.kind, &row.id, None));
            }
        }
        after.retain(|row| filter.parent.as_ref().is_none_or(|parent| row.parent.as_ref() == Some(parent)));
        after.sort_by(|a, b| (a.at, &a.name, &a.id).cmp(&(b.at, &b.name, &b.id)));
        after
    }

    /// A row after the changes; `None` if it does not exist then.
    fn changed(&self, kind: &str, id: &str, mut row: Option<ResourceRow>) -> Option<ResourceRow> {
        for change in self.changes {
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
        rows.expect_count().returning(|_, _| Ok(9));
        rows.expect_resources().returning(|_, filter| {
            let most = filter.limit.map_or(usize::MAX, |limit| limit as usize);
            assert!(most <= 5, "no more is read than is needed");
            Ok((1..=9).map(entry).skip(filter.offset as usize).take(most).collect())
        });
        Arc::new(rows)
    }

    async fn last(changes: &[ResourceChange], most: u32) -> Vec<String> {
        let workspace = WorkspaceKey::new("ann:home");
        let overlay = ResourceOverlay::new(reader(), &workspace, changes);
        overlay.last("entry", "tool", most).await.unwrap().into_iter().map(|row| row.id).collect()
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
