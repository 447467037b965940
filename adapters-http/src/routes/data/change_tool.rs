//! Changes a tool: done, or waiting for its approval.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use entracte_domain::value::JsonValue;
use http::HeaderMap;

use crate::authentication::{Chat, WorkspaceAccess};
use crate::extractors::{JsonBody, PathParams};
use crate::problem::Problem;
use crate::routes::data::path_params::ToolPath;
use crate::routes::data::{TOOL, change_by_command, object, present_fields, row};
use crate::server_state::ServerState;
use crate::shapes::command_outcome::ResultShape;
use crate::shapes::data_edit::ToolEditShape;

/// Changes a tool: done, or waiting for its approval.
#[utoipa::path(
    patch,
    path = "/v1/workspaces/{w}/tools/{tool}",
    operation_id = "change_tool",
    tag = "data",
    params(ToolPath, ("If-Match" = String, Header)),
    request_body = ToolEditShape,
    responses((status = 200, body = ResultShape, headers(("ETag" = String))), (status = 202, body = ResultShape)),
    extensions(("x-scope" = json!("chat")))
)]
pub(crate) async fn change_tool(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Chat>,
    PathParams(path): PathParams<ToolPath>,
    headers: HeaderMap,
    JsonBody(edit): JsonBody<ToolEditShape>,
) -> Result<Response, Problem> {
    let tool = row(&state, caller.workspace(), TOOL, &path.tool).await?;
    let arguments = present_fields([
        ("tool_id", Some(tool.id.clone().into())),
        ("name", edit.name.map(JsonValue::from)),
        ("config", edit.config.map(object)),
        ("require_validation", edit.require_validation.map(JsonValue::from)),
        ("always_send", edit.always_send.map(JsonValue::from)),
    ]);
    change_by_command(&state, &caller, &headers, &tool, "tools.update", arguments).await
}
