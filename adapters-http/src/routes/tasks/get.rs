//! One long task.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::use_cases::ReadTasks;

use crate::access::{Access, Read};
use crate::body::{Answer, Json, Path};
use crate::house::House;
use crate::routes::path::OfTask;
use crate::shapes::task::TaskShape;

/// One long task: its state, its result, and everything that its service reported.
#[utoipa::path(
    get,
    path = "/v1/workspaces/{w}/tasks/{task}",
    operation_id = "get_task",
    tag = "tasks",
    params(OfTask),
    responses((status = 200, body = TaskShape)),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn get_task(
    State(house): State<Arc<House>>,
    Access(caller, _): Access<Read>,
    Path(path): Path<OfTask>,
) -> Answer<TaskShape> {
    let read = ReadTasks::new(house.ports.tasks.clone());
    let (task, arrivals) = read.one(caller.workspace(), &path.task).await?;
    Ok(Json(TaskShape::of(&task, &arrivals)))
}
