//! Resumes a resting session.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::use_cases::ResumeSession;

use crate::authentication::{Chat, WorkspaceAccess};
use crate::extractors::{JsonResponse, JsonResult, PathParams};
use crate::routes::path_params::SessionPath;
use crate::server_state::ServerState;
use crate::shapes::session::AcceptedShape;

/// Resumes a session that rests.
#[utoipa::path(
    post,
    path = "/v1/workspaces/{w}/sessions/{s}/resume",
    operation_id = "resume_session",
    tag = "sessions",
    params(SessionPath),
    responses((status = 200, body = AcceptedShape)),
    extensions(("x-scope" = json!("chat")))
)]
pub(crate) async fn resume_session(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Chat>,
    PathParams(path): PathParams<SessionPath>,
) -> JsonResult<AcceptedShape> {
    let resume = ResumeSession::new(caller.mail_sender(&state));
    Ok(JsonResponse(resume.run(caller.workspace(), &path.session(), caller.author()).await?.into()))
}
