//! Sends a test notification to a target.

use std::sync::Arc;

use axum::extract::State;

use crate::authentication::{Approve, WorkspaceAccess};
use crate::extractors::{JsonResponse, JsonResult, PathParams};
use crate::routes::path_params::TargetPath;
use crate::routes::targets::{may_touch, target};
use crate::server_state::ServerState;
use crate::shapes::target::TestedShape;

/// Sends a test notification to a target now.
#[utoipa::path(
    post,
    path = "/v1/workspaces/{w}/targets/{target}/test",
    operation_id = "test_target",
    tag = "targets",
    params(TargetPath),
    responses((status = 200, body = TestedShape)),
    extensions(("x-scope" = json!("approve")))
)]
pub(crate) async fn test_target(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Approve>,
    PathParams(path): PathParams<TargetPath>,
) -> JsonResult<TestedShape> {
    let view = target(&state, &caller, &path.target).await?;
    may_touch(&caller, &view.target)?;
    Ok(JsonResponse(state.ports.notifier.test(&view.target).await?.into()))
}
