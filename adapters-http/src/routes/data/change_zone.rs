//! Changes a zone: done, or waiting for its approval.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use entracte_domain::value::JsonValue;
use http::HeaderMap;

use crate::authentication::{Chat, WorkspaceAccess};
use crate::extractors::{JsonBody, PathParams};
use crate::problem::Problem;
use crate::routes::data::path_params::ZonePath;
use crate::routes::data::{ZONE, change_by_command, nullable, present_fields, row};
use crate::server_state::ServerState;
use crate::shapes::command_outcome::ResultShape;
use crate::shapes::data_edit::ZoneEditShape;

/// Changes a zone: done, or waiting for its approval.
#[utoipa::path(
    patch,
    path = "/v1/workspaces/{w}/zones/{z}",
    operation_id = "change_zone",
    tag = "data",
    params(ZonePath, ("If-Match" = String, Header)),
    request_body = ZoneEditShape,
    responses((status = 200, body = ResultShape, headers(("ETag" = String))), (status = 202, body = ResultShape)),
    extensions(("x-scope" = json!("chat")))
)]
pub(crate) async fn change_zone(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Chat>,
    PathParams(path): PathParams<ZonePath>,
    headers: HeaderMap,
    JsonBody(edit): JsonBody<ZoneEditShape>,
) -> Result<Response, Problem> {
    let zone = row(&state, caller.workspace(), ZONE, &path.z).await?;
    let arguments = present_fields([
        ("zone_id", Some(zone.id.clone().into())),
        ("name", edit.name.map(JsonValue::from)),
        ("description", nullable(edit.description)),
        ("require_validation", edit.require_validation.map(JsonValue::from)),
    ]);
    change_by_command(&state, &caller, &headers, &zone, "zones.update", arguments).await
}
