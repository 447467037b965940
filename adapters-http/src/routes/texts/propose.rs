//! Proposes a change to a shared text, or a new one.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use http::StatusCode;

use super::run_text_action;
use crate::authentication::{Chat, WorkspaceAccess};
use crate::extractors::JsonBody;
use crate::problem::Problem;
use crate::routes::path_params::WorkspacePath;
use crate::server_state::ServerState;
use crate::shapes::command_outcome::ResultShape;
use crate::shapes::text::NewProposalShape;

/// Proposes a change to a shared text, or a new one; it counts for nobody until it is published.
#[utoipa::path(
    post,
    path = "/v1/workspaces/{w}/texts",
    operation_id = "propose_text",
    tag = "texts",
    params(WorkspacePath),
    request_body = NewProposalShape,
    responses((status = 201, body = ResultShape), (status = 202, body = ResultShape)),
    extensions(("x-scope" = json!("chat")))
)]
pub(crate) async fn propose_text(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Chat>,
    JsonBody(new): JsonBody<NewProposalShape>,
) -> Result<Response, Problem> {
    run_text_action(&state, &caller, "shared_texts.propose", new.arguments(), StatusCode::CREATED).await
}
