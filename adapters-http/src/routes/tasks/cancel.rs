//! Cancels a long task.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::texts::saying;
use entracte_application::use_cases::CancelTask;
use entracte_domain::task::Task;

use super::replay_or_require_task;
use crate::authentication::{Chat, WorkspaceAccess};
use crate::extractors::{JsonResponse, JsonResult, PathParams};
use crate::routes::path_params::TaskPath;
use crate::server_state::ServerState;
use crate::shapes::task::HeardShape;

/// Cancels a long task. Its service is told, and `get_task` says what it answers: a task that could not be told may
/// finish all the same.
#[utoipa::path(
    post,
    path = "/v1/workspaces/{w}/tasks/{task}/cancel",
    operation_id = "cancel_task",
    tag = "tasks",
    params(TaskPath),
    responses((status = 200, body = HeardShape)),
    extensions(("x-scope" = json!("chat")))
)]
pub(crate) async fn cancel_task(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Chat>,
    PathParams(path): PathParams<TaskPath>,
) -> JsonResult<HeardShape> {
    let task = path.task();
    let is_fit = |task: &Task| !task.state.is_final();
    let why = saying!("task-is-over", task = task.as_str());
    if let Some(before) = replay_or_require_task(&state, &caller, &task, is_fit, why).await? {
        return Ok(JsonResponse(before));
    }
    let cancel = CancelTask::new(caller.mail_sender(&state));
    let verdict = cancel.run(caller.workspace(), &task, caller.author()).await?;
    Ok(JsonResponse(HeardShape { task_id: task.to_string(), verdict: verdict.word() }))
}
