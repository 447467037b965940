//! Stops a session; with `end` permanently.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::use_cases::{EndSession, StopSession};

use crate::authentication::{Chat, WorkspaceAccess};
use crate::extractors::{JsonBody, JsonResponse, JsonResult, PathParams};
use crate::routes::path_params::SessionPath;
use crate::server_state::ServerState;
use crate::shapes::session::{AcceptedShape, StopShape};

/// Stops a session; with `end` for good.
#[utoipa::path(
    post,
    path = "/v1/workspaces/{w}/sessions/{s}/stop",
    operation_id = "stop_session",
    tag = "sessions",
    params(SessionPath),
    request_body = StopShape,
    responses((status = 200, body = AcceptedShape)),
    extensions(("x-scope" = json!("chat")))
)]
pub(crate) async fn stop_session(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Chat>,
    PathParams(path): PathParams<SessionPath>,
    JsonBody(how): JsonBody<StopShape>,
) -> JsonResult<AcceptedShape> {
    let (workspace, session, sender) = (caller.workspace(), path.session(), caller.mail_sender(&state));
    let stopped = if how.end {
        EndSession::new(sender).run(workspace, &session, caller.author()).await?
    } else {
        StopSession::new(sender).run(workspace, &session, caller.author()).await?
    };
    Ok(JsonResponse(stopped.into()))
}
