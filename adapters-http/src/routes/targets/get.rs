//! Reads a target.

use std::sync::Arc;

use axum::extract::State;

use crate::authentication::{Read, WorkspaceAccess};
use crate::extractors::{JsonResponse, JsonResult, PathParams};
use crate::routes::path_params::TargetPath;
use crate::routes::targets::{shape, target};
use crate::server_state::ServerState;
use crate::shapes::target::TargetShape;

/// A target.
#[utoipa::path(
    get,
    path = "/v1/workspaces/{w}/targets/{target}",
    operation_id = "get_target",
    tag = "targets",
    params(TargetPath),
    responses((status = 200, body = TargetShape)),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn get_target(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Read>,
    PathParams(path): PathParams<TargetPath>,
) -> JsonResult<TargetShape> {
    Ok(JsonResponse(shape(&state, &caller, &target(&state, &caller, &path.target).await?).await?))
}
