//! Says what would go now by the retention policy.

use std::sync::Arc;

use axum::extract::State;

use crate::authentication::{Admin, WorkspaceAccess};
use crate::extractors::{JsonResponse, JsonResult};
use crate::routes::path_params::WorkspacePath;
use crate::routes::retention::run_retention_of;
use crate::server_state::ServerState;
use crate::shapes::retention::RetentionTotalsShape;

/// What would go now by the retention policy, by table. Reads all that goes, and changes nothing.
#[utoipa::path(
    get,
    path = "/v1/workspaces/{w}/retention/preview",
    operation_id = "preview_retention",
    tag = "retention",
    params(WorkspacePath),
    responses((status = 200, body = RetentionTotalsShape)),
    extensions(("x-scope" = json!("admin")))
)]
pub(crate) async fn preview_retention(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Admin>,
) -> JsonResult<RetentionTotalsShape> {
    let totals = run_retention_of(&state, &caller).preview(caller.workspace()).await?;
    Ok(JsonResponse(RetentionTotalsShape::from(&totals)))
}
