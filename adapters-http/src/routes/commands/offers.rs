//! Lists the tools of MCP servers that wait to be accepted.

use std::sync::Arc;

use axum::extract::State;

use crate::authentication::{Read, WorkspaceAccess};
use crate::extractors::{JsonResponse, JsonResult, QueryParams};
use crate::pagination::{Page, PageQuery, page_of_list};
use crate::routes::admin::refused;
use crate::routes::path_params::WorkspacePath;
use crate::server_state::ServerState;
use crate::shapes::admin::OfferShape;

/// The new and changed tools of MCP servers that wait to be accepted, by server and name.
#[utoipa::path(
    get,
    path = "/v1/workspaces/{w}/tool-offers",
    operation_id = "list_tool_offers",
    tag = "commands",
    params(WorkspacePath, PageQuery),
    responses((status = 200, body = Page<OfferShape>)),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn list_tool_offers(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Read>,
    QueryParams(query): QueryParams<PageQuery>,
) -> JsonResult<Page<OfferShape>> {
    let language = state.language_for(caller.workspace(), caller.reader()).await?;
    let offers = state.ports.operator.external_tool_offers(language).map_err(refused)?;
    let shapes = offers.iter().map(OfferShape::from).collect();
    let key = |shape: &OfferShape| format!("{} {}", shape.server, shape.tool);
    Ok(JsonResponse(page_of_list(shapes, "tool-offers", &query, key)?))
}
