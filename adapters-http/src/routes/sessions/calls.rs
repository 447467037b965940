//! Lists the calls of a session, the latest first.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::use_cases::{CallView, ReadCalls};

use crate::authentication::{Read, WorkspaceAccess};
use crate::extractors::{JsonResponse, JsonResult, PathParams, QueryParams};
use crate::pagination::{Page, PageQuery, descending, page_of_list};
use crate::routes::path_params::SessionPath;
use crate::server_state::ServerState;
use crate::shapes::call::CallShape;

/// The calls of a session, the latest first.
#[utoipa::path(
    get,
    path = "/v1/workspaces/{w}/sessions/{s}/calls",
    operation_id = "list_calls",
    tag = "sessions",
    params(SessionPath, PageQuery),
    responses((status = 200, body = Page<CallShape>)),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn list_calls(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Read>,
    PathParams(path): PathParams<SessionPath>,
    QueryParams(query): QueryParams<PageQuery>,
) -> JsonResult<Page<CallShape>> {
    let session = path.session();
    let read = ReadCalls::new(state.ports.store.clone(), state.ports.log.clone());
    let calls = read.run(caller.workspace(), &session).await?;
    let numbered: Vec<(u64, CallView)> = (0..).zip(calls).collect();
    let page =
        page_of_list(numbered, &format!("calls {session}"), &query, |(number, _)| descending(*number))?;
    Ok(JsonResponse(page.map(|(_, view)| CallShape::from(&view))))
}
