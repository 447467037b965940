//! Creates an entry of a tool: done, or waiting for its approval.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use entracte_domain::value::JsonValue;

use crate::authentication::{Chat, WorkspaceAccess};
use crate::extractors::{JsonBody, PathParams};
use crate::problem::Problem;
use crate::routes::data::path_params::ToolPath;
use crate::routes::data::{ENTRY, TOOL, create_by_command, object, present_fields, row};
use crate::server_state::ServerState;
use crate::shapes::command_outcome::ResultShape;
use crate::shapes::data_edit::NewEntryShape;

/// Creates an entry of a tool: done, or waiting for its approval.
#[utoipa::path(
    post,
    path = "/v1/workspaces/{w}/tools/{tool}/entries",
    operation_id = "add_entry",
    tag = "data",
    params(ToolPath),
    request_body = NewEntryShape,
    responses((status = 201, body = ResultShape, headers(("ETag" = String))), (status = 202, body = ResultShape)),
    extensions(("x-scope" = json!("chat")))
)]
pub(crate) async fn add_entry(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Chat>,
    PathParams(path): PathParams<ToolPath>,
    JsonBody(new): JsonBody<NewEntryShape>,
) -> Result<Response, Problem> {
    // A repeated request is answered even if the tool no longer exists.
    if caller.find_replayed_answer(&state).await?.is_none() {
        row(&state, caller.workspace(), TOOL, &path.tool).await?;
    }
    let entry = present_fields([
        ("data", Some(object(new.data))),
        ("timestamp", new.at.map(JsonValue::from)),
        ("name", new.name.map(JsonValue::from)),
    ]);
    let arguments = present_fields([
        ("tool_id", Some(path.tool.into())),
        ("entries", Some(JsonValue::List(vec![entry]))),
    ]);
    create_by_command(&state, &caller, ENTRY, "tool_data.batch_create", arguments).await
}
