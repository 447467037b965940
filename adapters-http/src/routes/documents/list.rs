//! Lists the documents of a workspace, by name.

use std::sync::Arc;

use axum::extract::State;

use crate::authentication::{Read, WorkspaceAccess};
use crate::extractors::{JsonResponse, JsonResult, QueryParams};
use crate::pagination::{LIMIT_MAX, Page, PageQuery, page_after_cursor, read_cursor_key};
use crate::routes::documents::{problem, reader};
use crate::routes::path_params::WorkspacePath;
use crate::server_state::ServerState;
use crate::shapes::document::DocumentShape;

/// The documents of a workspace, by name.
#[utoipa::path(
    get,
    path = "/v1/workspaces/{w}/documents",
    operation_id = "list_documents",
    tag = "documents",
    params(WorkspacePath, PageQuery),
    responses((status = 200, body = Page<DocumentShape>)),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn list_documents(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Read>,
    QueryParams(query): QueryParams<PageQuery>,
) -> JsonResult<Page<DocumentShape>> {
    let list = format!("documents {}", caller.workspace());
    let after = read_cursor_key(&list, &query)?;
    // One more item shows that another page follows.
    let found = reader(&state).list(caller.workspace(), after, LIMIT_MAX + 1).await.map_err(problem)?;
    let shapes: Vec<DocumentShape> = found.iter().map(DocumentShape::from).collect();
    Ok(JsonResponse(page_after_cursor(shapes, &list, &query, |shape: &DocumentShape| shape.name.clone())?))
}
