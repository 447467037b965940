//! Lists the model calls of a session, the latest first.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::use_cases::{ModelCall, ShowSession};

use crate::authentication::{Read, WorkspaceAccess};
use crate::extractors::{JsonResponse, JsonResult, PathParams, QueryParams};
use crate::pagination::{Page, PageQuery, descending, page_of_list};
use crate::routes::model_calls::rebuild;
use crate::routes::path_params::SessionPath;
use crate::server_state::ServerState;
use crate::shapes::prompt::ModelCallShape;

/// The model calls of a session, the latest first.
#[utoipa::path(
    get,
    path = "/v1/workspaces/{w}/sessions/{s}/model-calls",
    operation_id = "list_model_calls",
    tag = "model-calls",
    params(SessionPath, PageQuery),
    responses((status = 200, body = Page<ModelCallShape>)),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn list_model_calls(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Read>,
    PathParams(path): PathParams<SessionPath>,
    QueryParams(query): QueryParams<PageQuery>,
) -> JsonResult<Page<ModelCallShape>> {
    let (workspace, session) = (caller.workspace(), path.session());
    ShowSession::new(state.ports.store.clone()).run(workspace, &session).await?;
    let calls = rebuild(&state).calls(workspace, &session).await?;
    // One entry may start several attempts.
    let key = |call: &ModelCall| {
        format!("{} {}", descending(call.sequence), descending(u64::from(call.number.attempt)))
    };
    let page = page_of_list(calls, &format!("model-calls {session}"), &query, key)?;
    Ok(JsonResponse(page.map(|call| ModelCallShape::from(&call))))
}
