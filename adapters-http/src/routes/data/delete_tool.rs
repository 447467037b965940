//! Deletes a tool with its entries: done, or waiting for its approval.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use http::HeaderMap;

use crate::authentication::{Chat, WorkspaceAccess};
use crate::extractors::PathParams;
use crate::problem::Problem;
use crate::routes::data::path_params::ToolPath;
use crate::routes::data::{TOOL, change_by_command, present_fields, row};
use crate::server_state::ServerState;
use crate::shapes::command_outcome::ResultShape;

/// Deletes a tool with its entries: done, or waiting for its approval.
#[utoipa::path(
    delete,
    path = "/v1/workspaces/{w}/tools/{tool}",
    operation_id = "delete_tool",
    tag = "data",
    params(ToolPath, ("If-Match" = String, Header)),
    responses((status = 200, body = ResultShape), (status = 202, body = ResultShape)),
    extensions(("x-scope" = json!("chat")))
)]
pub(crate) async fn delete_tool(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Chat>,
    PathParams(path): PathParams<ToolPath>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let tool = row(&state, caller.workspace(), TOOL, &path.tool).await?;
    let arguments = present_fields([("tool_id", Some(tool.id.clone().into()))]);
    change_by_command(&state, &caller, &headers, &tool, "tools.delete", arguments).await
}
