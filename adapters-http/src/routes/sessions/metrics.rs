//! Reads the metrics of a session.

use std::sync::Arc;

use axum::extract::State;

use crate::authentication::{Read, WorkspaceAccess};
use crate::extractors::{JsonResponse, JsonResult, PathParams};
use crate::routes::path_params::SessionPath;
use crate::routes::sessions::details::session_metrics;
use crate::server_state::ServerState;
use crate::shapes::session::MetricsShape;

/// How a session has gone so far.
#[utoipa::path(
    get,
    path = "/v1/workspaces/{w}/sessions/{s}/metrics",
    operation_id = "get_metrics",
    tag = "sessions",
    params(SessionPath),
    responses((status = 200, body = MetricsShape)),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn get_metrics(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Read>,
    PathParams(path): PathParams<SessionPath>,
) -> JsonResult<MetricsShape> {
    let (workspace, reader) = (caller.workspace(), caller.reader());
    Ok(JsonResponse(session_metrics(&state, workspace, &path.session(), reader).await?))
}
