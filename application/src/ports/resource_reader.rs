use async_trait::async_trait;
use entracte_domain::id::WorkspaceKey;
use entracte_domain::time::Timestamp;

use super::StoreError;

/// A row of a workspace's own data: a zone, a tool instance, an entry of a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "rows-serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ResourceRow {
    /// What it is: `zone`, `tool`, `entry`, …
    pub kind: String,
    /// Its id, unique in its workspace and kind.
    pub id: String,
    /// The id of the resource it lives in (a tool's zone, an entry's tool); deleted with it.
    pub parent: Option<String>,
    /// The kind of its parent.
    pub parent_kind: Option<String>,
    /// Name for people.
    pub name: String,
    /// The instant it is about (an entry's), for periods.
    #[cfg_attr(feature = "rows-serde", serde(with = "super::serde_rows"))]
    pub at: Option<Timestamp>,
    /// Counts its changes, from 1.
    pub version: u64,
    /// The rest, JSON.
    pub body: String,
    /// When it was made.
    #[cfg_attr(feature = "rows-serde", serde(with = "super::serde_rows"))]
    pub created_at: Timestamp,
    /// When it was last changed.
    #[cfg_attr(feature = "rows-serde", serde(with = "super::serde_rows"))]
    pub updated_at: Timestamp,
}

/// A change of a workspace's own data; part of a commit, never written apart from one.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "rows-serde", derive(serde::Serialize, serde::Deserialize))]
pub enum ResourceChange {
    /// Makes the row. A row of that kind and id is a conflict; so is a parent that does not exist.
    Create(ResourceRow),
    /// Puts this row, whose `version` is the new one, in the place of the one with version `expected`.
    Update {
        /// The new row.
        row: ResourceRow,
        /// The version it replaces; another one is a conflict.
        expected: u64,
    },
    /// Deletes the row and all that lives in it.
    Delete {
        /// Its kind.
        kind: String,
        /// Its id.
        id: String,
        /// The version it has; another one is a conflict.
        expected: u64,
    },
}

/// Which resources to list. Rows come by `at` (rows without first), then by name, then by id.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct ResourceFilter {
    /// Of this kind.
    pub kind: String,
    /// Living in this resource.
    pub parent: Option<String>,
    /// `at` not before.
    pub from: Option<Timestamp>,
    /// `at` before.
    pub until: Option<Timestamp>,
    /// At most that many.
    pub limit: Option<u32>,
    /// Without the first that many.
    pub offset: u32,
}

/// Reads a workspace's own data, as committed.
///
/// Contract: as [`LogReader`](super::LogReader); rows come in the order that [`ResourceFilter`] says, so that pages
/// join without gap or overlap while nothing changes.
///
/// ```
/// # use entracte_application::samples::example::*;
/// # example(async {
/// use async_trait::async_trait;
/// use entracte_application::ports::{Resource, ResourceFilter, ResourceReader, ResourceRows, StoreError};
/// use entracte_domain::id::WorkspaceKey;
///
/// /// The data of one workspace in memory. What can be read from a list need not be written.
/// struct Shelf(ResourceRows);
///
/// #[async_trait]
/// impl ResourceReader for Shelf {
///     async fn resources(&self, _: &WorkspaceKey, filter: &ResourceFilter) -> Result<Vec<Resource>, StoreError> {
///         Ok(filter.pick(self.0.values()))
///     }
/// }
///
/// let zone = samples::zone("health", "Health");
/// let shelf = Shelf([(("zone".to_owned(), zone.id.clone()), zone.clone())].into());
/// assert_eq!(shelf.resource(&samples::workspace(), "zone", "health").await?, Some(zone));
/// assert_eq!(shelf.resource(&samples::workspace(), "tool", "health").await?, None);
/// # Ok(()) });
/// ```
///
/// # Errors
/// [`StoreError::Unavailable`] when the store cannot be asked now, [`StoreError::Inconsistent`] when a row of it
/// cannot be read or decoded. What is not there is no error: it is none, an empty list, or a count of 0.
///
/// # Cancel safety
/// Every method only reads: to drop its future leaves nothing behind.
#[cfg_attr(any(test, feature = "test-helpers"), mockall::automock)]
#[async_trait]
pub trait ResourceReader: Send + Sync {
    /// One row; none when there is no such row. Without an index: of the list of its kind.
    async fn resource(
        &self,
        workspace: &WorkspaceKey,
        kind: &str,
        id: &str,
    ) -> Result<Option<ResourceRow>, StoreError> {
        let of_kind = ResourceFilter { kind: kind.to_owned(), ..ResourceFilter::default() };
        Ok(self.resources(workspace, &of_kind).await?.into_iter().find(|row| row.id == id))
    }

    /// The rows that the filter lets through.
    async fn resources(
        &self,
        workspace: &WorkspaceKey,
        filter: &ResourceFilter,
    ) -> Result<Vec<ResourceRow>, StoreError>;

    /// How many rows the filter lets through, without its limit and offset. A store that need not read
    /// them to count them should not.
    async fn count(&self, workspace: &WorkspaceKey, filter: &ResourceFilter) -> Result<u64, StoreError> {
        let whole = ResourceFilter { limit: None, offset: 0, ..filter.clone() };
        Ok(self.resources(workspace, &whole).await?.len() as u64)
    }

    /// Which rows the filter lets through, each by its id and its version, in no order and without its limit and offset:
    /// equal as long as none came, went or changed. A store that need not read whole rows for it should not.
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
