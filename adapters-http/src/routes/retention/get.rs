//! Reads what a workspace retains, and what people hold in it.

use std::sync::Arc;

use axum::extract::State;

use crate::authentication::{Read, WorkspaceAccess};
use crate::extractors::{JsonResponse, JsonResult};
use crate::routes::path_params::WorkspacePath;
use crate::routes::retention::read_retention;
use crate::server_state::ServerState;
use crate::shapes::retention::RetentionShape;

/// What a workspace retains and for how long, and what people hold in it.
#[utoipa::path(
    get,
    path = "/v1/workspaces/{w}/retention",
    operation_id = "get_retention",
    tag = "retention",
    params(WorkspacePath),
    responses((status = 200, body = RetentionShape)),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn get_retention(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Read>,
) -> JsonResult<RetentionShape> {
    let view = read_retention(&state).run(caller.workspace()).await?;
    Ok(JsonResponse(RetentionShape::from(&view)))
}
