//! Ends an attachment to a session.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::use_cases::LeaveSession;
use http::StatusCode;

use crate::authentication::{Chat, WorkspaceAccess};
use crate::extractors::PathParams;
use crate::problem::Problem;
use crate::routes::path_params::SessionPath;
use crate::server_state::ServerState;

/// Closes a session that was opened; it goes on without you.
#[utoipa::path(
    delete,
    path = "/v1/workspaces/{w}/sessions/{s}/attachment",
    operation_id = "leave_session",
    tag = "sessions",
    params(SessionPath),
    responses((status = 204)),
    extensions(("x-scope" = json!("chat")))
)]
pub(crate) async fn leave_session(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Chat>,
    PathParams(path): PathParams<SessionPath>,
) -> Result<StatusCode, Problem> {
    let attachment = format!("http-{}", caller.principal().token().id);
    let leave = LeaveSession::new(caller.mail_sender(&state));
    leave.run(caller.workspace(), &path.session(), caller.author(), attachment).await?;
    Ok(StatusCode::NO_CONTENT)
}
