//! Reports that the work of a run is not done.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::use_cases::RejectCompletion;

use crate::authentication::{Approve, WorkspaceAccess};
use crate::extractors::{JsonBody, JsonResponse, JsonResult, PathParams};
use crate::routes::path_params::SessionPath;
use crate::server_state::ServerState;
use crate::shapes::session::{AcceptedShape, RejectionShape};

/// Says that the work of a run is not done.
#[utoipa::path(
    post,
    path = "/v1/workspaces/{w}/sessions/{s}/reject-completion",
    operation_id = "reject_completion",
    tag = "sessions",
    params(SessionPath),
    request_body = RejectionShape,
    responses((status = 200, body = AcceptedShape)),
    extensions(("x-scope" = json!("approve")))
)]
pub(crate) async fn reject_completion(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Approve>,
    PathParams(path): PathParams<SessionPath>,
    JsonBody(rejection): JsonBody<RejectionShape>,
) -> JsonResult<AcceptedShape> {
    let reject = RejectCompletion::new(caller.mail_sender(&state));
    let (workspace, session) = (caller.workspace(), path.session());
    Ok(JsonResponse(reject.run(workspace, &session, caller.author(), rejection.reason).await?.into()))
}
