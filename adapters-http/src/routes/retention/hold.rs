//! Holds a workspace, the runs of an automation or a session against the retention policy.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::use_cases::HoldRetention;

use crate::authentication::{Approve, WorkspaceAccess};
use crate::extractors::{JsonBody, JsonResponse, JsonResult, PathParams};
use crate::routes::path_params::HoldPath;
use crate::routes::retention::held_scope;
use crate::server_state::ServerState;
use crate::shapes::retention::{NewRetentionHoldShape, RetentionHeldShape};

/// Holds a workspace, the runs of an automation or a session: nothing of it goes until the hold is released. A hold that
/// exists takes over the person and the reason. The answer says whether it came too late for a part.
#[utoipa::path(
    put,
    path = "/v1/workspaces/{w}/retention/holds/{held}",
    operation_id = "hold_retention",
    tag = "retention",
    params(HoldPath),
    request_body = NewRetentionHoldShape,
    responses((status = 200, body = RetentionHeldShape)),
    extensions(("x-scope" = json!("approve")))
)]
pub(crate) async fn hold_retention(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Approve>,
    PathParams(path): PathParams<HoldPath>,
    JsonBody(new): JsonBody<NewRetentionHoldShape>,
) -> JsonResult<RetentionHeldShape> {
    let hold = HoldRetention::new(caller.mail_sender(&state), state.ports.log.clone());
    let partial = hold.run(caller.workspace(), caller.author(), held_scope(&path.held), new.reason).await?;
    Ok(JsonResponse(RetentionHeldShape { held: path.held, partial }))
}
