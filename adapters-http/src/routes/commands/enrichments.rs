//! Reads the schema of enrichments, to which messages may refer, with an example of each kind.

use std::sync::Arc;

use axum::extract::State;

use crate::authentication::{Read, WorkspaceAccess};
use crate::extractors::{JsonResponse, JsonResult};
use crate::routes::path_params::WorkspacePath;
use crate::server_state::ServerState;
use crate::shapes::command::EnrichmentsShape;

/// What a message may refer to: the schema of enrichments, with an example of each kind.
#[utoipa::path(
    get,
    path = "/v1/workspaces/{w}/enrichments",
    operation_id = "get_enrichments",
    tag = "commands",
    params(WorkspacePath),
    responses((status = 200, body = EnrichmentsShape)),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn get_enrichments(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(_reader, _): WorkspaceAccess<Read>,
) -> JsonResult<EnrichmentsShape> {
    let format = state.ports.catalog.get().enrichment_format();
    let examples = format.examples.iter().filter_map(|example| serde_json::from_str(example).ok());
    Ok(JsonResponse(EnrichmentsShape { parameters: format.schema, examples: examples.collect() }))
}
