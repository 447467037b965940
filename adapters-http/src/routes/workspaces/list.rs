//! Lists the workspaces that the token reaches.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::use_cases::ListWorkspaces;

use crate::authentication::{Read, TokenAccess};
use crate::extractors::{JsonResponse, JsonResult, QueryParams};
use crate::pagination::{Page, PageQuery, page_of_list};
use crate::server_state::ServerState;
use crate::shapes::workspace::WorkspaceShape;

/// The workspaces that the token reaches.
#[utoipa::path(
    get,
    path = "/v1/workspaces",
    operation_id = "list_workspaces",
    tag = "workspaces",
    params(PageQuery),
    responses((status = 200, body = Page<WorkspaceShape>)),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn list_workspaces(
    State(state): State<Arc<ServerState>>,
    TokenAccess(visitor, _): TokenAccess<Read>,
    QueryParams(query): QueryParams<PageQuery>,
) -> JsonResult<Page<WorkspaceShape>> {
    let list = ListWorkspaces::new(state.ports.store.clone(), state.ports.log.clone());
    let mut views = list.run().await?;
    views.retain(|view| visitor.reach().covers(&view.key));
    let page = page_of_list(views, "workspaces", &query, |view| view.key.to_string())?;
    Ok(JsonResponse(page.map(|view| WorkspaceShape::from(&view))))
}
