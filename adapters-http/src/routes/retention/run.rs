//! Removes what goes by the retention policy now.

use std::sync::Arc;

use axum::extract::State;

use crate::authentication::{Admin, WorkspaceAccess};
use crate::extractors::{JsonResponse, JsonResult};
use crate::routes::path_params::WorkspacePath;
use crate::routes::retention::run_retention_of;
use crate::server_state::ServerState;
use crate::shapes::retention::RetentionTotalsShape;

/// Removes what goes by the retention policy, in small commits, and answers at the end with what went. A client that
/// leaves ends it after the commit under way; what is left goes with the next run, or when the server looks itself.
#[utoipa::path(
    post,
    path = "/v1/workspaces/{w}/retention/run",
    operation_id = "run_retention",
    tag = "retention",
    params(WorkspacePath),
    responses((status = 200, body = RetentionTotalsShape)),
    extensions(("x-scope" = json!("admin")))
)]
pub(crate) async fn run_retention(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Admin>,
) -> JsonResult<RetentionTotalsShape> {
    let removed = run_retention_of(&state, &caller).run(caller.workspace(), &mut |_| {}).await?;
    Ok(JsonResponse(RetentionTotalsShape::from(&removed)))
}
