//! Creates a zone: done, or waiting for its approval.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use entracte_domain::value::JsonValue;

use crate::authentication::{Chat, WorkspaceAccess};
use crate::extractors::JsonBody;
use crate::problem::Problem;
use crate::routes::data::{ZONE, create_by_command, present_fields};
use crate::routes::path_params::WorkspacePath;
use crate::server_state::ServerState;
use crate::shapes::command_outcome::ResultShape;
use crate::shapes::data_edit::NewZoneShape;

/// Creates a zone: done, or waiting for its approval.
#[utoipa::path(
    post,
    path = "/v1/workspaces/{w}/zones",
    operation_id = "add_zone",
    tag = "data",
    params(WorkspacePath),
    request_body = NewZoneShape,
    responses((status = 201, body = ResultShape, headers(("ETag" = String))), (status = 202, body = ResultShape)),
    extensions(("x-scope" = json!("chat")))
)]
pub(crate) async fn add_zone(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Chat>,
    JsonBody(new): JsonBody<NewZoneShape>,
) -> Result<Response, Problem> {
    let arguments = present_fields([
        ("name", Some(new.name.into())),
        ("description", new.description.map(JsonValue::from)),
        ("require_validation", new.require_validation.map(JsonValue::from)),
    ]);
    create_by_command(&state, &caller, ZONE, "zones.create", arguments).await
}
