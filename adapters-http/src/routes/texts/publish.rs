//! Publishes a proposal: it waits for its approval.

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

/// Publishes a proposal: it waits for its approval, whose card shows what differs.
#[utoipa::path(
    post,
    path = "/v1/workspaces/{w}/texts/{text}/proposals/{prp}/publish",
    operation_id = "publish_text",
    tag = "texts",
    params(ProposalPath),
    responses((status = 200, body = ResultShape), (status = 202, body = ResultShape)),
    extensions(("x-scope" = json!("chat")))
)]
pub(crate) async fn publish_text(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Chat>,
    PathParams(path): PathParams<ProposalPath>,
) -> Result<Response, Problem> {
    with_proposal(&state, &caller, &path, "shared_texts.publish").await
}
