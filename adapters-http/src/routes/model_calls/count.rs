//! Counts the tokens of a past model call's request, using its provider.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::texts::saying;

use crate::authentication::{Chat, WorkspaceAccess};
use crate::extractors::{JsonResponse, JsonResult, PathParams};
use crate::problem::{Problem, ProblemCode};
use crate::routes::model_calls::rebuild_prompt_of_call;
use crate::routes::path_params::ModelCallPath;
use crate::server_state::ServerState;
use crate::shapes::prompt::CountShape;

/// Asks the provider how many tokens the request of a past model call has; the model does not answer it.
#[utoipa::path(
    post,
    path = "/v1/workspaces/{w}/model-calls/{mc}/count",
    operation_id = "count_model_call",
    tag = "model-calls",
    params(ModelCallPath),
    responses((status = 200, body = CountShape)),
    extensions(("x-scope" = json!("chat")))
)]
pub(crate) async fn count_model_call(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Chat>,
    PathParams(path): PathParams<ModelCallPath>,
) -> JsonResult<CountShape> {
    let rebuilt = rebuild_prompt_of_call(&state, caller.workspace(), &path.mc).await?;
    let (provider, estimated) = (rebuilt.voice.provider.clone(), rebuilt.size.tokens);
    let cannot = |why: String| {
        let text = saying!("prompt-not-counted", provider = &provider, why = why);
        Problem::new(ProblemCode::NotApplicable, text)
    };
    let asked = state.ports.providers.provider(&provider).map_err(|failure| cannot(failure.message))?;
    let counted = asked.count(rebuilt.request).await.map_err(|failure| cannot(failure.message))?;
    Ok(JsonResponse(CountShape { model_call: rebuilt.call.id.to_string(), provider, counted, estimated }))
}
