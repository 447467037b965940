//! Reads one long task.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::use_cases::ReadTasks;

use crate::authentication::{Read, WorkspaceAccess};
use crate::extractors::{JsonResponse, JsonResult, PathParams};
use crate::routes::path_params::TaskPath;
use crate::server_state::ServerState;
use crate::shapes::task::TaskShape;

/// One long task: its state, its result, and everything that its service reported.
#[utoipa::path(
    get,
    path = "/v1/workspaces/{w}/tasks/{task}",
    operation_id = "get_task",
    tag = "tasks",
    params(TaskPath),
    responses((status = 200, body = TaskShape)),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn get_task(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Read>,
    PathParams(path): PathParams<TaskPath>,
) -> JsonResult<TaskShape> {
    let read = ReadTasks::new(state.ports.tasks.clone());
    let (task, arrivals) = read.one(caller.workspace(), &path.task).await?;
    Ok(JsonResponse(TaskShape::of(&task, &arrivals)))
}
