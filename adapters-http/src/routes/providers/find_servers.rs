//! Finds model servers of the server's machine.

use std::sync::Arc;

use axum::extract::State;

use crate::authentication::{Admin, OperatorAccess};
use crate::extractors::{JsonResponse, JsonResult};
use crate::server_state::ServerState;
use crate::shapes::provider_setup::{ModelServerShape, ModelServersShape};

/// Asks the usual ports of the machine that the server runs on for model servers: Ollama, LM Studio, llama.cpp and vLLM.
#[utoipa::path(
    post,
    path = "/v1/model-servers/search",
    operation_id = "find_model_servers",
    tag = "providers",
    responses((status = 200, body = ModelServersShape)),
    extensions(("x-scope" = json!("admin")), ("x-reach" = json!("everywhere")))
)]
pub(crate) async fn find_model_servers(
    State(state): State<Arc<ServerState>>,
    OperatorAccess(_operator, _): OperatorAccess<Admin>,
) -> JsonResult<ModelServersShape> {
    let found = state.ports.operator.find_model_servers().await;
    Ok(JsonResponse(ModelServersShape { servers: found.into_iter().map(ModelServerShape::from).collect() }))
}
