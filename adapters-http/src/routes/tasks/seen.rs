//! Notes that somebody has looked at a task of which nobody else was told.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::use_cases::AcknowledgeTask;
use http::StatusCode;

use crate::access::{Access, Approve};
use crate::body::Path;
use crate::house::House;
use crate::problem::Problem;
use crate::routes::path::OfTask;

/// Notes that somebody has seen a task that no session could report.
#[utoipa::path(
    put,
    path = "/v1/workspaces/{w}/tasks/{task}/seen",
    operation_id = "mark_task_seen",
    tag = "tasks",
    params(OfTask),
    responses((status = 204)),
    extensions(("x-scope" = json!("approve")))
)]
pub(crate) async fn mark_task_seen(
    State(house): State<Arc<House>>,
    Access(caller, _): Access<Approve>,
    Path(path): Path<OfTask>,
) -> Result<StatusCode, Problem> {
    let mark = AcknowledgeTask::new(caller.sender(&house));
    mark.run(caller.workspace(), &path.task(), caller.author()).await?;
    Ok(StatusCode::NO_CONTENT)
}
