//! Discards a proposal.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;

use super::with_proposal;
use crate::authentication::{Chat, WorkspaceAccess};
use crate::extractors::PathParams;
use crate::problem::Problem;
use crate::routes::path_params::ProposalPath;
use crate::server_state::ServerState;
use crate::shapes::command_outcome::ResultShape;

/// Discards a proposal.
#[utoipa::path(
    delete,
    path = "/v1/workspaces/{w}/texts/{text}/proposals/{prp}",
    operation_id = "discard_proposal",
    tag = "texts",
    params(ProposalPath),
    responses((status = 200, body = ResultShape), (status = 202, body = ResultShape)),
    extensions(("x-scope" = json!("chat")))
)]
pub(crate) async fn discard_proposal(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Chat>,
    PathParams(path): PathParams<ProposalPath>,
) -> Result<Response, Problem> {
    with_proposal(&state, &caller, &path, "shared_texts.discard").await
}
