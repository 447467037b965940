//! Reads a tool, with its configuration.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;

use crate::authentication::{Read, WorkspaceAccess};
use crate::extractors::PathParams;
use crate::problem::Problem;
use crate::routes::data::path_params::ToolPath;
use crate::routes::data::{TOOL, row_response};
use crate::server_state::ServerState;
use crate::shapes::data::DataShape;

/// A tool, with its configuration.
#[utoipa::path(
    get,
    path = "/v1/workspaces/{w}/tools/{tool}",
    operation_id = "get_tool",
    tag = "data",
    params(ToolPath),
    responses((status = 200, body = DataShape, headers(("ETag" = String)))),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn get_tool(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Read>,
    PathParams(path): PathParams<ToolPath>,
) -> Result<Response, Problem> {
    row_response(&state, caller.workspace(), TOOL, &path.tool).await
}
