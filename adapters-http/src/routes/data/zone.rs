//! Reads a zone.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;

use crate::authentication::{Read, WorkspaceAccess};
use crate::extractors::PathParams;
use crate::problem::Problem;
use crate::routes::data::path_params::ZonePath;
use crate::routes::data::{ZONE, row_response};
use crate::server_state::ServerState;
use crate::shapes::data::DataShape;

/// A zone.
#[utoipa::path(
    get,
    path = "/v1/workspaces/{w}/zones/{z}",
    operation_id = "get_zone",
    tag = "data",
    params(ZonePath),
    responses((status = 200, body = DataShape, headers(("ETag" = String)))),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn get_zone(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Read>,
    PathParams(path): PathParams<ZonePath>,
) -> Result<Response, Problem> {
    row_response(&state, caller.workspace(), ZONE, &path.z).await
}
