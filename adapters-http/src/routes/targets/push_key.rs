//! The key with which browsers subscribe to push messages.

use std::sync::Arc;

use axum::extract::State;

use crate::authentication::{Read, WorkspaceAccess};
use crate::extractors::{JsonResponse, JsonResult};
use crate::problem::{Problem, ProblemCode};
use crate::routes::path_params::WorkspacePath;
use crate::server_state::ServerState;
use crate::shapes::target::PushKeyShape;

/// The key with which a browser subscribes to push messages of this server, before it is added as a target.
#[utoipa::path(
    get,
    path = "/v1/workspaces/{w}/push-key",
    operation_id = "get_push_key",
    tag = "targets",
    params(WorkspacePath),
    responses((status = 200, body = PushKeyShape)),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn get_push_key(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Read>,
) -> JsonResult<PushKeyShape> {
    let texts = state.texts_for(caller.workspace(), caller.reader()).await?;
    let sender = state.ports.sender.clone();
    // Its file is read, and written the first time.
    let key = tokio::task::spawn_blocking(move || sender.push_key()).await;
    let key = key.map_err(|error| Problem::new(ProblemCode::Internal, error.to_string()))?;
    let key = key.map_err(|why| Problem::new(ProblemCode::NotApplicable, why.render(texts)))?;
    Ok(JsonResponse(PushKeyShape { key }))
}
