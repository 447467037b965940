//! Records that a person has seen the outcome of a run.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::use_cases::MarkSeen;
use http::StatusCode;

use crate::authentication::{Approve, WorkspaceAccess};
use crate::extractors::PathParams;
use crate::problem::Problem;
use crate::routes::path_params::SessionPath;
use crate::server_state::ServerState;

/// Notes that somebody has seen how a run ended.
#[utoipa::path(
    put,
    path = "/v1/workspaces/{w}/sessions/{s}/seen",
    operation_id = "mark_seen",
    tag = "inbox",
    params(SessionPath),
    responses((status = 204)),
    extensions(("x-scope" = json!("approve")))
)]
pub(crate) async fn mark_seen(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Approve>,
    PathParams(path): PathParams<SessionPath>,
) -> Result<StatusCode, Problem> {
    let mark = MarkSeen::new(caller.mail_sender(&state));
    mark.run(caller.workspace(), &path.session(), caller.author()).await?;
    Ok(StatusCode::NO_CONTENT)
}
