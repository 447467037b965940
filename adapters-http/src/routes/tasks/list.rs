//! Lists the long tasks of a workspace.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::ports::TaskFilter;
use entracte_application::use_cases::{ReadTasks, TASKS_SHOWN};
use entracte_domain::id::SessionId;
use serde::Deserialize;
use utoipa::IntoParams;

use crate::authentication::{Read, WorkspaceAccess};
use crate::extractors::{JsonResponse, JsonResult, QueryParams};
use crate::pagination::{Page, PageQuery, latest_first, page_of_list};
use crate::routes::path_params::WorkspacePath;
use crate::server_state::ServerState;
use crate::shapes::task::TaskLineShape;

/// Which of them.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct TaskListQuery {
    /// Those of this session only.
    session: Option<String>,
    /// `true`: those that have not ended only.
    #[serde(default)]
    open: bool,
    /// At most this many items, 1 to 200; 50 unless given.
    limit: Option<u32>,
    /// The `next` of the page before.
    after: Option<String>,
}

/// The long tasks of a workspace: those that have not ended first, then the latest first; the latest 500 of them.
#[utoipa::path(
    get,
    path = "/v1/workspaces/{w}/tasks",
    operation_id = "list_tasks",
    tag = "tasks",
    params(WorkspacePath, TaskListQuery),
    responses((status = 200, body = Page<TaskLineShape>)),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn list_tasks(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Read>,
    QueryParams(query): QueryParams<TaskListQuery>,
) -> JsonResult<Page<TaskLineShape>> {
    let session = query.session.clone().map(SessionId::new);
    let list = format!("tasks {} {:?} {}", caller.workspace(), session, query.open);
    let filter = TaskFilter { session, open: query.open, limit: Some(TASKS_SHOWN) };
    let tasks = ReadTasks::new(state.ports.tasks.clone()).all(caller.workspace(), filter).await?;
    let page = PageQuery { limit: query.limit, after: query.after };
    let key = |task: &entracte_domain::task::Task| {
        let ended = u8::from(task.state.is_final());
        format!("{ended} {} {}", latest_first(task.created_at), task.id)
    };
    Ok(JsonResponse(page_of_list(tasks, &list, &page, key)?.map(|task| TaskLineShape::from(&task))))
}
