//! Lists the targets of a workspace, by name.

use std::sync::Arc;

use axum::extract::State;

use crate::authentication::{Read, WorkspaceAccess};
use crate::extractors::{JsonResponse, JsonResult, QueryParams};
use crate::pagination::{Page, PageQuery, page_of_list};
use crate::routes::path_params::WorkspacePath;
use crate::routes::targets::{reader, shape};
use crate::server_state::ServerState;
use crate::shapes::target::TargetShape;

/// The notification targets of a workspace, by name.
#[utoipa::path(
    get,
    path = "/v1/workspaces/{w}/targets",
    operation_id = "list_targets",
    tag = "targets",
    params(WorkspacePath, PageQuery),
    responses((status = 200, body = Page<TargetShape>)),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn list_targets(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Read>,
    QueryParams(query): QueryParams<PageQuery>,
) -> JsonResult<Page<TargetShape>> {
    let all = reader(&state).all(caller.workspace()).await?;
    let mut shapes = Vec::with_capacity(all.len());
    for view in &all {
        shapes.push(shape(&state, &caller, view).await?);
    }
    let list = format!("targets {}", caller.workspace());
    Ok(JsonResponse(page_of_list(shapes, &list, &query, |shape: &TargetShape| {
        format!("{} {}", shape.name, shape.id)
    })?))
}
