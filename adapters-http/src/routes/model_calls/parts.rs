//! Lists the parts of a past model call's request, with their tokens.

use std::sync::Arc;

use axum::extract::State;

use crate::authentication::{Read, WorkspaceAccess};
use crate::extractors::{JsonResponse, JsonResult, PathParams};
use crate::routes::model_calls::rebuild_prompt_of_call;
use crate::routes::path_params::ModelCallPath;
use crate::server_state::ServerState;
use crate::shapes::prompt::PartsShape;

/// What the request of a past model call is made of, in tokens.
#[utoipa::path(
    get,
    path = "/v1/workspaces/{w}/model-calls/{mc}/parts",
    operation_id = "get_model_call_parts",
    tag = "model-calls",
    params(ModelCallPath),
    responses((status = 200, body = PartsShape)),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn get_model_call_parts(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Read>,
    PathParams(path): PathParams<ModelCallPath>,
) -> JsonResult<PartsShape> {
    Ok(JsonResponse((&rebuild_prompt_of_call(&state, caller.workspace(), &path.mc).await?).into()))
}
