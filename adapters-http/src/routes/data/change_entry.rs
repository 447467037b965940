//! Changes an entry of a tool: done, or waiting for its approval.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use entracte_domain::value::JsonValue;
use http::HeaderMap;

use crate::authentication::{Chat, WorkspaceAccess};
use crate::extractors::{JsonBody, PathParams};
use crate::problem::Problem;
use crate::routes::data::path_params::DataEntryPath;
use crate::routes::data::{change_by_command, entry_of, nullable, object, present_fields};
use crate::server_state::ServerState;
use crate::shapes::command_outcome::ResultShape;
use crate::shapes::data_edit::EntryEditShape;

/// Changes an entry of a tool: done, or waiting for its approval.
#[utoipa::path(
    patch,
    path = "/v1/workspaces/{w}/tools/{tool}/entries/{e}",
    operation_id = "change_entry",
    tag = "data",
    params(DataEntryPath, ("If-Match" = String, Header)),
    request_body = EntryEditShape,
    responses((status = 200, body = ResultShape, headers(("ETag" = String))), (status = 202, body = ResultShape)),
    extensions(("x-scope" = json!("chat")))
)]
pub(crate) async fn change_entry(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Chat>,
    PathParams(path): PathParams<DataEntryPath>,
    headers: HeaderMap,
    JsonBody(edit): JsonBody<EntryEditShape>,
) -> Result<Response, Problem> {
    let entry = entry_of(&state, caller.workspace(), &path.tool, &path.e).await?;
    let arguments = present_fields([
        ("entry_id", Some(entry.id.clone().into())),
        ("data", edit.data.map(object)),
        ("timestamp", edit.at.map(JsonValue::from)),
        ("name", nullable(edit.name)),
    ]);
    change_by_command(&state, &caller, &headers, &entry, "tool_data.update", arguments).await
}
