//! Lists the MCP servers with their tools.

use std::sync::Arc;

use axum::extract::State;

use crate::authentication::{Read, WorkspaceAccess};
use crate::extractors::{JsonResponse, JsonResult, QueryParams};
use crate::pagination::{Page, PageQuery, page_of_list};
use crate::routes::admin::refused;
use crate::routes::path_params::WorkspacePath;
use crate::server_state::ServerState;
use crate::shapes::tool_server::ToolServerShape;

/// The MCP servers whose tools are known, by name: which of their tools ask, which run unasked, which send data out.
#[utoipa::path(
    get,
    path = "/v1/workspaces/{w}/tool-servers",
    operation_id = "list_tool_servers",
    tag = "commands",
    params(WorkspacePath, PageQuery),
    responses((status = 200, body = Page<ToolServerShape>)),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn list_tool_servers(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(_caller, _): WorkspaceAccess<Read>,
    QueryParams(query): QueryParams<PageQuery>,
) -> JsonResult<Page<ToolServerShape>> {
    let servers = state.ports.operator.external_servers().map_err(refused)?;
    let shapes = servers.iter().map(ToolServerShape::from).collect();
    let key = |shape: &ToolServerShape| shape.server.clone();
    Ok(JsonResponse(page_of_list(shapes, "tool-servers", &query, key)?))
}
