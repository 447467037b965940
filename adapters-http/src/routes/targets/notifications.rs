//! Lists the notifications of a workspace's targets, the latest first.

use std::sync::Arc;

use axum::extract::State;

use crate::authentication::{Read, WorkspaceAccess};
use crate::extractors::{JsonResponse, JsonResult, QueryParams};
use crate::pagination::{Page, PageQuery, latest_first, page_of_list};
use crate::routes::path_params::WorkspacePath;
use crate::routes::targets::reader;
use crate::server_state::ServerState;
use crate::shapes::target::NotificationShape;

/// The notifications that the targets of a workspace were sent, the latest first.
#[utoipa::path(
    get,
    path = "/v1/workspaces/{w}/notifications",
    operation_id = "list_notifications",
    tag = "targets",
    params(WorkspacePath, PageQuery),
    responses((status = 200, body = Page<NotificationShape>)),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn list_notifications(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Read>,
    QueryParams(query): QueryParams<PageQuery>,
) -> JsonResult<Page<NotificationShape>> {
    let rows = reader(&state).notifications(caller.workspace()).await?;
    let list = format!("notifications {}", caller.workspace());
    let page =
        page_of_list(rows, &list, &query, |row| format!("{} {}", latest_first(row.created_at), row.id))?;
    Ok(JsonResponse(page.map(|row| NotificationShape::from(&row))))
}
