//! Confirms that the work of a run is done.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::use_cases::ConfirmCompletion;

use crate::authentication::{Approve, WorkspaceAccess};
use crate::extractors::{JsonResponse, JsonResult, PathParams};
use crate::routes::path_params::SessionPath;
use crate::server_state::ServerState;
use crate::shapes::session::AcceptedShape;

/// Confirms that the work of a run is done.
#[utoipa::path(
    post,
    path = "/v1/workspaces/{w}/sessions/{s}/confirm",
    operation_id = "confirm_completion",
    tag = "sessions",
    params(SessionPath),
    responses((status = 200, body = AcceptedShape)),
    extensions(("x-scope" = json!("approve")))
)]
pub(crate) async fn confirm_completion(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Approve>,
    PathParams(path): PathParams<SessionPath>,
) -> JsonResult<AcceptedShape> {
    let confirm = ConfirmCompletion::new(caller.mail_sender(&state));
    Ok(JsonResponse(confirm.run(caller.workspace(), &path.session(), caller.author()).await?.into()))
}
