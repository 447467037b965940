//! Reads the exact request of a past model call, rebuilt from stored data.

use std::sync::Arc;

use axum::extract::State;

use crate::authentication::{Read, WorkspaceAccess};
use crate::extractors::{JsonResponse, JsonResult, PathParams};
use crate::routes::model_calls::rebuild_prompt_of_call;
use crate::routes::path_params::ModelCallPath;
use crate::server_state::ServerState;
use crate::shapes::prompt::PromptShape;

/// The exact request of a past model call, rebuilt from what is stored.
#[utoipa::path(
    get,
    path = "/v1/workspaces/{w}/model-calls/{mc}",
    operation_id = "get_model_call",
    tag = "model-calls",
    params(ModelCallPath),
    responses((status = 200, body = PromptShape)),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn get_model_call(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Read>,
    PathParams(path): PathParams<ModelCallPath>,
) -> JsonResult<PromptShape> {
    Ok(JsonResponse((&rebuild_prompt_of_call(&state, caller.workspace(), &path.mc).await?).into()))
}
