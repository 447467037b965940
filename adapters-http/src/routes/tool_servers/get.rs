//! Reads the tools of an MCP server.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;

use crate::authentication::{Read, WorkspaceAccess};
use crate::extractors::PathParams;
use crate::problem::Problem;
use crate::routes::path_params::ToolServerPath;
use crate::routes::response_with_etag;
use crate::routes::tool_servers::tool_server;
use crate::server_state::ServerState;
use crate::shapes::tool_server::ToolServerShape;

/// The tools of an MCP server, with the tag that a decision about them needs.
#[utoipa::path(
    get,
    path = "/v1/workspaces/{w}/tool-servers/{server}",
    operation_id = "get_tool_server",
    tag = "commands",
    params(ToolServerPath),
    responses((status = 200, body = ToolServerShape, headers(("ETag" = String)))),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn get_tool_server(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(_caller, _): WorkspaceAccess<Read>,
    PathParams(path): PathParams<ToolServerPath>,
) -> Result<Response, Problem> {
    let shape = ToolServerShape::from(&tool_server(&state, &path.server)?);
    Ok(response_with_etag(Some(shape.tag()), shape))
}
