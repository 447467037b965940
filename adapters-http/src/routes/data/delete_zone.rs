//! Deletes a zone with its content: done, or waiting for its approval.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use http::HeaderMap;

use crate::authentication::{Chat, WorkspaceAccess};
use crate::extractors::PathParams;
use crate::problem::Problem;
use crate::routes::data::path_params::ZonePath;
use crate::routes::data::{ZONE, change_by_command, present_fields, row};
use crate::server_state::ServerState;
use crate::shapes::command_outcome::ResultShape;

/// Deletes a zone with all that is in it: done, or waiting for its approval.
#[utoipa::path(
    delete,
    path = "/v1/workspaces/{w}/zones/{z}",
    operation_id = "delete_zone",
    tag = "data",
    params(ZonePath, ("If-Match" = String, Header)),
    responses((status = 200, body = ResultShape), (status = 202, body = ResultShape)),
    extensions(("x-scope" = json!("chat")))
)]
pub(crate) async fn delete_zone(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Chat>,
    PathParams(path): PathParams<ZonePath>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let zone = row(&state, caller.workspace(), ZONE, &path.z).await?;
    let arguments = present_fields([("zone_id", Some(zone.id.clone().into()))]);
    change_by_command(&state, &caller, &headers, &zone, "zones.delete", arguments).await
}
