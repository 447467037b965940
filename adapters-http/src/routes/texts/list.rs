//! Lists the shared texts, by key.

use std::sync::Arc;

use axum::extract::State;
use entracte_domain::value::JsonValue;
use serde_json::Value;

use crate::authentication::{Read, WorkspaceAccess};
use crate::extractors::{JsonResponse, JsonResult};
use crate::routes::manual_command::run_manual_query;
use crate::routes::path_params::WorkspacePath;
use crate::server_state::ServerState;
use crate::shapes::text::TextsShape;

/// The shared texts, by key.
#[utoipa::path(
    get,
    path = "/v1/workspaces/{w}/texts",
    operation_id = "list_texts",
    tag = "texts",
    params(WorkspacePath),
    responses((status = 200, body = TextsShape)),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn list_texts(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Read>,
) -> JsonResult<TextsShape> {
    let arguments = JsonValue::from([("limit", JsonValue::from(500))]);
    let listed = run_manual_query(&state, &caller, "shared_texts.list", arguments).await?;
    let listed: Value = serde_json::from_str(&listed).unwrap_or_default();
    Ok(JsonResponse(TextsShape::read(&listed)))
}
