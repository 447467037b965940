//! Answers a question of a long task.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::texts::saying;
use entracte_application::use_cases::AnswerTaskQuestion;
use entracte_domain::task::Task;

use super::replay_or_require_task;
use crate::authentication::{Chat, WorkspaceAccess};
use crate::extractors::{JsonBody, JsonResponse, JsonResult, PathParams};
use crate::routes::path_params::TaskPath;
use crate::server_state::ServerState;
use crate::shapes::task::{HeardShape, TaskAnswerShape};

/// Answers what a long task asks, as `question` of `get_task` says it: a text for one field, a JSON object of the fields
/// (by key, where the form has several parts), `null` to decline, or `{"_action": "cancel"}` to leave it undecided.
#[utoipa::path(
    post,
    path = "/v1/workspaces/{w}/tasks/{task}/answer",
    operation_id = "answer_task",
    tag = "tasks",
    params(TaskPath),
    request_body = TaskAnswerShape,
    responses((status = 200, body = HeardShape)),
    extensions(("x-scope" = json!("chat")))
)]
pub(crate) async fn answer_task(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Chat>,
    PathParams(path): PathParams<TaskPath>,
    JsonBody(answer): JsonBody<TaskAnswerShape>,
) -> JsonResult<HeardShape> {
    let task = path.task();
    let why = saying!("task-asks-nothing", task = task.as_str());
    if let Some(before) = replay_or_require_task(&state, &caller, &task, Task::is_asking, why).await? {
        return Ok(JsonResponse(before));
    }
    let ask = AnswerTaskQuestion::new(caller.mail_sender(&state));
    let TaskAnswerShape { text, question } = answer;
    let verdict = ask.run(caller.workspace(), &task, caller.author(), text, question.as_deref()).await?;
    Ok(JsonResponse(HeardShape { task_id: task.to_string(), verdict: verdict.word() }))
}
