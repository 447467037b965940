//! Lists the zones of a workspace, by name.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::ports::ResourceFilter;

use crate::authentication::{Read, WorkspaceAccess};
use crate::extractors::{JsonResponse, JsonResult, QueryParams};
use crate::pagination::{Page, PageQuery};
use crate::routes::data::{ZONE, page};
use crate::routes::path_params::WorkspacePath;
use crate::server_state::ServerState;
use crate::shapes::data::DataShape;

/// The zones of a workspace, by name.
#[utoipa::path(
    get,
    path = "/v1/workspaces/{w}/zones",
    operation_id = "list_zones",
    tag = "data",
    params(WorkspacePath, PageQuery),
    responses((status = 200, body = Page<DataShape>)),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn list_zones(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Read>,
    QueryParams(query): QueryParams<PageQuery>,
) -> JsonResult<Page<DataShape>> {
    let filter = ResourceFilter { kind: ZONE.to_owned(), ..ResourceFilter::default() };
    Ok(JsonResponse(page(&state, caller.workspace(), filter, &query).await?))
}
