//! Releases a hold.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::use_cases::ReleaseRetention;
use http::StatusCode;

use crate::authentication::{Approve, WorkspaceAccess};
use crate::extractors::PathParams;
use crate::problem::Problem;
use crate::routes::path_params::HoldPath;
use crate::routes::retention::held_scope;
use crate::server_state::ServerState;

/// Releases a hold: what it kept may go again.
#[utoipa::path(
    delete,
    path = "/v1/workspaces/{w}/retention/holds/{held}",
    operation_id = "release_retention",
    tag = "retention",
    params(HoldPath),
    responses((status = 204)),
    extensions(("x-scope" = json!("approve")))
)]
pub(crate) async fn release_retention(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Approve>,
    PathParams(path): PathParams<HoldPath>,
) -> Result<StatusCode, Problem> {
    let release = ReleaseRetention::new(caller.mail_sender(&state));
    release.run(caller.workspace(), caller.author(), held_scope(&path.held)).await?;
    Ok(StatusCode::NO_CONTENT)
}
