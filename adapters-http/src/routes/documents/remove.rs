//! Removes a document, with everything stored about it.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::use_cases::RemoveDocument;
use http::StatusCode;

use crate::authentication::{Chat, WorkspaceAccess};
use crate::extractors::PathParams;
use crate::problem::Problem;
use crate::routes::documents::problem;
use crate::routes::path_params::DocumentPath;
use crate::server_state::ServerState;

/// Removes a document, with everything stored of it.
#[utoipa::path(
    delete,
    path = "/v1/workspaces/{w}/documents/{d}",
    operation_id = "remove_document",
    tag = "documents",
    params(DocumentPath),
    responses((status = 204)),
    extensions(("x-scope" = json!("chat")))
)]
pub(crate) async fn remove_document(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Chat>,
    PathParams(path): PathParams<DocumentPath>,
) -> Result<StatusCode, Problem> {
    let remove = RemoveDocument::new(state.ports.knowledge.clone());
    remove.run(caller.workspace(), &path.d).await.map_err(problem)?;
    Ok(StatusCode::NO_CONTENT)
}
