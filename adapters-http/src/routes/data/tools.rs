//! Lists the tools of a workspace, or of one zone, by name.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::ports::ResourceFilter;
use serde::Deserialize;
use utoipa::IntoParams;

use crate::authentication::{Read, WorkspaceAccess};
use crate::extractors::{JsonResponse, JsonResult, QueryParams};
use crate::pagination::{Page, PageQuery};
use crate::routes::data::{TOOL, page};
use crate::routes::path_params::WorkspacePath;
use crate::server_state::ServerState;
use crate::shapes::data::DataShape;

/// Which tools.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct DataToolsQuery {
    /// Only those of this zone.
    zone: Option<String>,
    /// At most this many items, 1 to 200; 50 unless given.
    limit: Option<u32>,
    /// The `next` of the page before.
    after: Option<String>,
}

/// The tools of a workspace, or of one zone, by name.
#[utoipa::path(
    get,
    path = "/v1/workspaces/{w}/tools",
    operation_id = "list_tools",
    tag = "data",
    params(WorkspacePath, DataToolsQuery),
    responses((status = 200, body = Page<DataShape>)),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn list_tools(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Read>,
    QueryParams(query): QueryParams<DataToolsQuery>,
) -> JsonResult<Page<DataShape>> {
    let filter = ResourceFilter { kind: TOOL.to_owned(), parent: query.zone, ..ResourceFilter::default() };
    let which = PageQuery { limit: query.limit, after: query.after };
    Ok(JsonResponse(page(&state, caller.workspace(), filter, &which).await?))
}
