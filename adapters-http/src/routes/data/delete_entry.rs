//! Deletes an entry of a tool: done, or waiting for its approval.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use entracte_domain::value::JsonValue;
use http::HeaderMap;

use crate::authentication::{Chat, WorkspaceAccess};
use crate::extractors::PathParams;
use crate::problem::Problem;
use crate::routes::data::path_params::DataEntryPath;
use crate::routes::data::{change_by_command, entry_of, present_fields};
use crate::server_state::ServerState;
use crate::shapes::command_outcome::ResultShape;

/// Deletes an entry of a tool: done, or waiting for its approval.
#[utoipa::path(
    delete,
    path = "/v1/workspaces/{w}/tools/{tool}/entries/{e}",
    operation_id = "delete_entry",
    tag = "data",
    params(DataEntryPath, ("If-Match" = String, Header)),
    responses((status = 200, body = ResultShape), (status = 202, body = ResultShape)),
    extensions(("x-scope" = json!("chat")))
)]
pub(crate) async fn delete_entry(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Chat>,
    PathParams(path): PathParams<DataEntryPath>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let entry = entry_of(&state, caller.workspace(), &path.tool, &path.e).await?;
    let arguments = present_fields([("entry_ids", Some(JsonValue::List(vec![entry.id.clone().into()])))]);
    change_by_command(&state, &caller, &headers, &entry, "tool_data.delete", arguments).await
}
