//! Reads one call, with its result.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::use_cases::ReadCalls;
use entracte_domain::id::CallId;

use crate::authentication::{Read, WorkspaceAccess};
use crate::extractors::{JsonResponse, JsonResult, PathParams};
use crate::routes::calls::{no_call, session_of};
use crate::routes::path_params::CallPath;
use crate::server_state::ServerState;
use crate::shapes::call::CallShape;

/// One call, with its result.
#[utoipa::path(
    get,
    path = "/v1/workspaces/{w}/calls/{c}",
    operation_id = "get_call",
    tag = "calls",
    params(CallPath),
    responses((status = 200, body = CallShape)),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn get_call(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Read>,
    PathParams(path): PathParams<CallPath>,
) -> JsonResult<CallShape> {
    let call = CallId::new(path.c);
    let session = session_of(&state, caller.workspace(), &call).await?;
    let read = ReadCalls::new(state.ports.store.clone(), state.ports.log.clone());
    let calls = read.run(caller.workspace(), &session).await?;
    let view = calls.iter().find(|view| view.call.id == call).ok_or_else(|| no_call(&call))?;
    Ok(JsonResponse(view.into()))
}
