//! Computes the missing vectors of documents.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::texts::saying;
use http::StatusCode;

use crate::authentication::{Chat, WorkspaceAccess};
use crate::extractors::JsonResponse;
use crate::problem::{Problem, ProblemCode};
use crate::routes::path_params::WorkspacePath;
use crate::server_state::ServerState;
use crate::shapes::document::VectorsShape;

/// Makes the vectors of documents that are missing, so that these are found by meaning: after the model of embeddings was
/// changed, or where a run was broken off. They are made beside the answer; what is there already stays.
#[utoipa::path(
    post,
    path = "/v1/workspaces/{w}/knowledge/vectors",
    operation_id = "make_vectors",
    tag = "knowledge",
    params(WorkspacePath),
    responses((status = 202, body = VectorsShape)),
    extensions(("x-scope" = json!("chat")))
)]
pub(crate) async fn make_vectors(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Chat>,
) -> Result<(StatusCode, JsonResponse<VectorsShape>), Problem> {
    if !super::put::make_vectors(&state, caller.workspace().clone()) {
        let text = saying!("refusal-no-embeddings");
        return Err(Problem::new(ProblemCode::NotApplicable, text));
    }
    Ok((StatusCode::ACCEPTED, JsonResponse(VectorsShape { begun: true })))
}
