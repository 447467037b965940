//! Records that a person has seen a task about which no other person was notified.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::use_cases::AcknowledgeTask;
use http::StatusCode;

use crate::authentication::{Approve, WorkspaceAccess};
use crate::extractors::PathParams;
use crate::problem::Problem;
use crate::routes::path_params::TaskPath;
use crate::server_state::ServerState;

/// Notes that somebody has seen a task that no session could report.
#[utoipa::path(
    put,
    path = "/v1/workspaces/{w}/tasks/{task}/seen",
    operation_id = "mark_task_seen",
    tag = "tasks",
    params(TaskPath),
    responses((status = 204)),
    extensions(("x-scope" = json!("approve")))
)]
pub(crate) async fn mark_task_seen(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Approve>,
    PathParams(path): PathParams<TaskPath>,
) -> Result<StatusCode, Problem> {
    let mark = AcknowledgeTask::new(caller.mail_sender(&state));
    mark.run(caller.workspace(), &path.task(), caller.author()).await?;
    Ok(StatusCode::NO_CONTENT)
}
