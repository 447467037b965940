//! One consistent reading of a workspace's data for a person's decision: what the cards show and what an approval
//! is bound to come from the same rows, even if these change meanwhile. Each row is read once.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use entracte_domain::id::WorkspaceKey;

use crate::ports::{ResourceFilter, ResourceReader, ResourceRow, StoreError};

/// Caches rows as they were at their first read.
pub(crate) struct MemoizedResourceReader {
    rows: Arc<dyn ResourceReader>,
    single: MemoTable<(WorkspaceKey, String, String), Option<ResourceRow>>,
    lists: MemoTable<(WorkspaceKey, ResourceFilter), Vec<ResourceRow>>,
    named: MemoTable<(WorkspaceKey, ResourceFilter, String), Vec<ResourceRow>>,
    counts: MemoTable<(WorkspaceKey, ResourceFilter), u64>,
    versions: MemoTable<(WorkspaceKey, ResourceFilter), Vec<(String, u64)>>,
}

impl MemoizedResourceReader {
    /// A reader over these rows with an empty cache.
    pub(crate) fn wrap(rows: Arc<dyn ResourceReader>) -> Arc<dyn ResourceReader> {
        Arc::new(Self {
            rows,
            single: MemoTable::default(),
            lists: MemoTable::default(),
            named: MemoTable::default(),
            counts: MemoTable::default(),
            versions: MemoTable::default(),
        })
    }
}

#[async_trait]
impl ResourceReader for MemoizedResourceReader {
    async fn resource(
        &self,
        workspace: &WorkspaceKey,
        kind: &str,
        id: &str,
    ) -> Result<Option<ResourceRow>, StoreError> {
        let asked = (workspace.clone(), kind.to_owned(), id.to_owned());
        self.single.get_or_read(asked, self.rows.resource(workspace, kind, id)).await
    }

    async fn resources(
        &self,
        workspace: &WorkspaceKey,
        filter: &ResourceFilter,
    ) -> Result<Vec<ResourceRow>, StoreError> {
        let asked = (workspace.clone(), filter.clone());
        self.lists.get_or_read(asked, self.rows.resources(workspace, filter)).await
    }

    async fn resources_named(
        &self,
        workspace: &WorkspaceKey,
        filter: &ResourceFilter,
        name: &str,
    ) -> Result<Vec<ResourceRow>, StoreError> {
        let asked = (workspace.clone(), filter.clone(), name.to_owned());
        self.named.get_or_read(asked, self.rows.resources_named(workspace, filter, name)).await
    }

    async fn count(&self, workspace: &WorkspaceKey, filter: &ResourceFilter) -> Result<u64, StoreError> {
        let asked = (workspace.clone(), filter.clone());
        self.counts.get_or_read(asked, self.rows.count(workspace, filter)).await
    }

    async fn versions(
        &self,
        workspace: &WorkspaceKey,
        filter: &ResourceFilter,
    ) -> Result<Vec<(String, u64)>, StoreError> {
        let asked = (workspace.clone(), filter.clone());
        self.versions.get_or_read(asked, self.rows.versions(workspace, filter)).await
    }
}

/// Cached answers by query.
struct MemoTable<K, V>(Mutex<HashMap<K, V>>);

impl<K, V> Default for MemoTable<K, V> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<K: Eq + Hash, V: Clone> MemoTable<K, V> {
    /// The cached answer, else that of `read`, which is cached then; nothing is read for a cached one.
    async fn get_or_read(
        &self,
        asked: K,
        read: impl Future<Output = Result<V, StoreError>>,
    ) -> Result<V, StoreError> {
        let known = self.answers().get(&asked).cloned();
        if let Some(known) = known {
            return Ok(known);
        }
        let answer = read.await?;
        self.answers().insert(asked, answer.clone());
        Ok(answer)
    }

    fn answers(&self) -> MutexGuard<'_, HashMap<K, V>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::workspace;
    use crate::ports::MockResourceReader;

    /// Input: the card of a new name, read twice; expected: the name is looked up once, and no list of rows is read.
    #[tokio::test]
    async fn name_is_looked_up_once_without_the_list() {
        let mut rows = MockResourceReader::new();
        rows.expect_resources_named().times(1).returning(|_, _, _| Ok(Vec::new()));
        let (reader, of_kind) = (MemoizedResourceReader::wrap(Arc::new(rows)), ResourceFilter::default());
        for _ in 0..2 {
            assert_eq!(reader.resources_named(&workspace(), &of_kind, "Health").await.unwrap(), []);
        }
    }
}
