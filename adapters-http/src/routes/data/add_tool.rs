//! Creates a tool in a zone: done, or waiting for its approval.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use entracte_domain::value::JsonValue;

use crate::authentication::{Chat, WorkspaceAccess};
use crate::extractors::JsonBody;
use crate::problem::Problem;
use crate::routes::data::{TOOL, create_by_command, object, present_fields};
use crate::routes::path_params::WorkspacePath;
use crate::server_state::ServerState;
use crate::shapes::command_outcome::ResultShape;
use crate::shapes::data_edit::NewToolShape;

/// Creates a tool in a zone: done, or waiting for its approval.
#[utoipa::path(
    post,
    path = "/v1/workspaces/{w}/tools",
    operation_id = "add_tool",
    tag = "data",
    params(WorkspacePath),
    request_body = NewToolShape,
    responses((status = 201, body = ResultShape, headers(("ETag" = String))), (status = 202, body = ResultShape)),
    extensions(("x-scope" = json!("chat")))
)]
pub(crate) async fn add_tool(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Chat>,
    JsonBody(new): JsonBody<NewToolShape>,
) -> Result<Response, Problem> {
    let arguments = present_fields([
        ("zone_id", Some(new.zone.into())),
        ("tool_type", Some(new.kind.into())),
        ("name", Some(new.name.into())),
        ("config", new.config.map(object)),
        ("require_validation", new.require_validation.map(JsonValue::from)),
        ("always_send", new.always_send.map(JsonValue::from)),
    ]);
    create_by_command(&state, &caller, TOOL, "tools.create", arguments).await
}
