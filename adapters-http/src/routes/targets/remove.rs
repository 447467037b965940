//! Removes a target with its notifications and links.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::use_cases::RemoveNotificationTarget;
use http::StatusCode;

use crate::authentication::{Approve, WorkspaceAccess};
use crate::extractors::PathParams;
use crate::problem::Problem;
use crate::routes::path_params::TargetPath;
use crate::routes::targets::{may_touch, target};
use crate::server_state::ServerState;

/// Removes a notification target, with what it was sent and its links.
#[utoipa::path(
    delete,
    path = "/v1/workspaces/{w}/targets/{target}",
    operation_id = "remove_target",
    tag = "targets",
    params(TargetPath),
    responses((status = 204)),
    extensions(("x-scope" = json!("approve")))
)]
pub(crate) async fn remove_target(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Approve>,
    PathParams(path): PathParams<TargetPath>,
) -> Result<StatusCode, Problem> {
    let view = target(&state, &caller, &path.target).await?;
    may_touch(&caller, &view.target)?;
    let remove = RemoveNotificationTarget::new(state.ports.outbox.clone(), state.ports.store.clone());
    remove.run(caller.workspace(), &path.target).await?;
    Ok(StatusCode::NO_CONTENT)
}
