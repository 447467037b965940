use async_trait::async_trait;
use entracte_domain::id::WorkspaceKey;
use entracte_domain::time::Timestamp;

use super::StoreError;

/// A row of a workspace's own data. What the kinds mean is known to the executors that write them.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "rows-serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ResourceRow {
    /// The kind of resource.
    pub kind: String,
    /// The id, unique within its workspace and kind.
    pub id: String,
    /// The id of the containing resource, with which it is deleted.
    pub parent: Option<String>,
    /// The kind of its parent.
    pub parent_kind: Option<String>,
    /// Display name.
    pub name: String,
    /// The instant it is about, if any, used to filter by period.
    #[cfg_attr(feature = "rows-serde", serde(with = "super::serde_rows"))]
    pub at: Option<Timestamp>,
    /// The number of its changes, from 1.
    pub version: u64,
    /// All other fields, as JSON.
    pub body: String,
    /// When it was created.
    #[cfg_attr(feature = "rows-serde", serde(with = "super::serde_rows"))]
    pub created_at: Timestamp,
    /// When it was last changed.
    #[cfg_attr(feature = "rows-serde", serde(with = "super::serde_rows"))]
    pub updated_at: Timestamp,
}

impl ResourceRow {
    /// Whether it has this name, whatever the case of the letters.
    pub fn has_name(&self, name: &str) -> bool {
        self.name.to_lowercase() == name.to_lowercase()
    }
}

/// A change of a workspace's own data; always part of a commit.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "rows-serde", derive(serde::Serialize, serde::Deserialize))]
pub enum ResourceChange {
    /// Creates the row. An existing row of that kind and id is a conflict; so is a missing parent.
    Create(ResourceRow),
    /// Replaces the row at version `expected` by this row, whose `version` is the new one.
    Update {
        /// The new row.
        row: ResourceRow,
        /// The version it replaces; another one is a conflict.
        expected: u64,
    },
    /// Deletes the row and all rows it contains.
    Delete {
        /// The kind of the row.
        kind: String,
        /// The id of the row.
        id: String,
        /// The current version; another one is a conflict.
        expected: u64,
    },
}

/// Selects the resources to list. Rows are ordered by `at` (rows without it first), then name, then id.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct ResourceFilter {
    /// Only resources of this kind.
    pub kind: String,
    /// Only resources whose parent has this id.
    pub parent: Option<String>,
    /// Only rows with `at` at or after this instant.
    pub from: Option<Timestamp>,
    /// Only rows with `at` before this instant.
    pub until: Option<Timestamp>,
    /// The maximum number of rows.
    pub limit: Option<u32>,
    /// The number of rows to skip.
    pub offset: u32,
}

/// Reads a workspace's own data, as committed.
///
/// Contract: same as [`LogReader`](super::LogReader); rows have the order described at [`ResourceFilter`], so that
/// pages join without gap or overlap while nothing changes.
///
/// ```
/// # use entracte_application::samples::example::*;
/// # example(async {
/// use async_trait::async_trait;
/// use entracte_application::ports::{
///     MemoryResourceTable, ResourceFilter, ResourceReader, ResourceRow, StoreError,
/// };
/// use entracte_domain::id::WorkspaceKey;
///
/// /// The data of one workspace in memory. Only `resources` is required; the other methods have defaults.
/// struct OneWorkspace(MemoryResourceTable);
///
/// #[async_trait]
/// impl ResourceReader for OneWorkspace {
///     async fn resources(&self, _: &WorkspaceKey, filter: &ResourceFilter) -> Result<Vec<ResourceRow>, StoreError> {
///         Ok(filter.select_matching(self.0.values()))
///     }
/// }
///
/// let zone = samples::zone("health", "Health");
/// let workspace = OneWorkspace([(("zone".to_owned(), zone.id.clone()), zone.clone())].into());
/// assert_eq!(workspace.resource(&samples::workspace(), "zone", "health").await?, Some(zone));
/// assert_eq!(workspace.resource(&samples::workspace(), "tool", "health").await?, None);
/// # Ok(()) });
/// ```
///
/// # Errors
/// [`StoreError::Unavailable`] when the store cannot be queried now, [`StoreError::Inconsistent`] when a row cannot be
/// read or decoded. A missing row is not an error: the result is `None`, an empty list, or a count of 0.
///
/// # Cancel safety
/// Every method only reads: dropping its future leaves nothing behind.
#[cfg_attr(any(test, feature = "test-helpers"), mockall::automock)]
#[async_trait]
pub trait ResourceReader: Send + Sync {
    /// One row, if it exists. The default, for stores without an index, scans the list of its kind.
    async fn resource(
        &self,
        workspace: &WorkspaceKey,
        kind: &str,
        id: &str,
    ) -> Result<Option<ResourceRow>, StoreError> {
        let of_kind = ResourceFilter { kind: kind.to_owned(), ..ResourceFilter::default() };
        Ok(self.resources(workspace, &of_kind).await?.into_iter().find(|row| row.id == id))
    }

    /// The rows that match the filter.
    async fn resources(
        &self,
        workspace: &WorkspaceKey,
        filter: &ResourceFilter,
    ) -> Result<Vec<ResourceRow>, StoreError>;

    /// The rows that match the filter and have this name ([`ResourceRow::has_name`]), in the same order, ignoring its
    /// limit and offset. The default reads all rows that match; a store that need not read them should override it.
    async fn resources_named(
        &self,
        workspace: &WorkspaceKey,
        filter: &ResourceFilter,
        name: &str,
    ) -> Result<Vec<ResourceRow>, StoreError> {
        let whole = ResourceFilter { limit: None, offset: 0, ..filter.clone() };
        let rows = self.resources(workspace, &whole).await?;
        Ok(rows.into_iter().filter(|row| row.has_name(name)).collect())
    }

    /// The last rows that match the filter, at most `most`, in the same order, ignoring its limit and offset.
    async fn last_resources(
        &self,
        workspace: &WorkspaceKey,
        filter: &ResourceFilter,
        most: u32,
    ) -> Result<Vec<ResourceRow>, StoreError> {
        let count = u32::try_from(self.count(workspace, filter).await?).unwrap_or(u32::MAX);
        let last = ResourceFilter { offset: count.saturating_sub(most), limit: Some(most), ..filter.clone() };
        self.resources(workspace, &last).await
    }

    /// The number of rows that match the filter, ignoring its limit and offset. The default reads the rows; a store
    /// that can count without reading them should override it.
    async fn count(&self, workspace: &WorkspaceKey, filter: &ResourceFilter) -> Result<u64, StoreError> {
        let whole = ResourceFilter { limit: None, offset: 0, ..filter.clone() };
        Ok(self.resources(workspace, &whole).await?.len() as u64)
    }

    /// The id and version of each matching row, in no particular order, ignoring limit and offset: the result is equal
    /// as long as no row was added, removed or changed. A store that need not read whole rows for this should override
    /// it.
    async fn versions(
        &self,
        workspace: &WorkspaceKey,
        filter: &ResourceFilter,
    ) -> Result<Vec<(String, u64)>, StoreError> {
        let whole = ResourceFilter { limit: None, offset: 0, ..filter.clone() };
        let rows = self.resources(workspace, &whole).await?;
        Ok(rows.into_iter().map(|row| (row.id, row.version)).collect())
    }
}
