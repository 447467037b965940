//! Deletes a session with its log; a record of its open work stays.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::use_cases::DeleteSession;
use http::StatusCode;

use crate::authentication::{Admin, WorkspaceAccess};
use crate::extractors::PathParams;
use crate::problem::Problem;
use crate::routes::path_params::SessionPath;
use crate::server_state::ServerState;

/// Deletes a session with its log; what was open in it is kept as a record.
#[utoipa::path(
    delete,
    path = "/v1/workspaces/{w}/sessions/{s}",
    operation_id = "delete_session",
    tag = "sessions",
    params(SessionPath),
    responses((status = 204)),
    extensions(("x-scope" = json!("admin")))
)]
pub(crate) async fn delete_session(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Admin>,
    PathParams(path): PathParams<SessionPath>,
) -> Result<StatusCode, Problem> {
    let delete = DeleteSession::new(caller.mail_sender(&state));
    delete.run(caller.workspace(), &path.session(), caller.author()).await?;
    Ok(StatusCode::NO_CONTENT)
}
