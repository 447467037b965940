//! [`ResourceReader`] on a database.

use async_trait::async_trait;
use entracte_application::ports::{ResourceFilter, ResourceReader, ResourceRow, StoreError};
use entracte_domain::id::WorkspaceKey;

use crate::database::Database;
use crate::queries::resources;

/// Reader of a workspace's own data.
pub(crate) struct DbResourceReader(pub(crate) Database);

#[async_trait]
impl ResourceReader for DbResourceReader {
    async fn resource(
        &self,
        workspace: &WorkspaceKey,
        kind: &str,
        id: &str,
    ) -> Result<Option<ResourceRow>, StoreError> {
        let (workspace, kind, id) = (workspace.clone(), kind.to_owned(), id.to_owned());
        self.0.read(move |conn| resources::find(conn, &workspace, &kind, &id)).await
    }

    async fn resources(
        &self,
        workspace: &WorkspaceKey,
        filter: &ResourceFilter,
    ) -> Result<Vec<ResourceRow>, StoreError> {
        let (workspace, filter) = (workspace.clone(), filter.clone());
        self.0.read(move |conn| resources::list(conn, &workspace, &filter)).await
    }

    async fn resources_named(
        &self,
        workspace: &WorkspaceKey,
        filter: &ResourceFilter,
        name: &str,
    ) -> Result<Vec<ResourceRow>, StoreError> {
        let (workspace, filter, name) = (workspace.clone(), filter.clone(), name.to_owned());
        self.0.read(move |conn| resources::named(conn, &workspace, &filter, &name)).await
    }

    async fn count(&self, workspace: &WorkspaceKey, filter: &ResourceFilter) -> Result<u64, StoreError> {
        let (workspace, filter) = (workspace.clone(), filter.clone());
        self.0.read(move |conn| resources::count(conn, &workspace, &filter)).await
    }

    async fn versions(
        &self,
        workspace: &WorkspaceKey,
        filter: &ResourceFilter,
    ) -> Result<Vec<(String, u64)>, StoreError> {
        let (workspace, filter) = (workspace.clone(), filter.clone());
        self.0.read(move |conn| resources::versions(conn, &workspace, &filter)).await
    }
}
