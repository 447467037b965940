//! Records whether an action with unknown outcome happened.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::use_cases::SettleCall;
use entracte_domain::id::CallId;

use crate::authentication::{Approve, WorkspaceAccess};
use crate::extractors::{JsonBody, JsonResponse, JsonResult, PathParams};
use crate::routes::calls::session_of;
use crate::routes::path_params::CallPath;
use crate::server_state::ServerState;
use crate::shapes::call::SettlementShape;
use crate::shapes::session::AcceptedShape;

/// Says whether an action of unknown outcome happened.
#[utoipa::path(
    post,
    path = "/v1/workspaces/{w}/calls/{c}/settlement",
    operation_id = "settle_call",
    tag = "calls",
    params(CallPath),
    request_body = SettlementShape,
    responses((status = 200, body = AcceptedShape)),
    extensions(("x-scope" = json!("approve")))
)]
pub(crate) async fn settle_call(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Approve>,
    PathParams(path): PathParams<CallPath>,
    JsonBody(found): JsonBody<SettlementShape>,
) -> JsonResult<AcceptedShape> {
    let call = CallId::new(path.c);
    let session = session_of(&state, caller.workspace(), &call).await?;
    let settle = SettleCall::new(caller.mail_sender(&state));
    let (workspace, author) = (caller.workspace(), caller.author());
    Ok(JsonResponse(settle.run(workspace, &session, author, call, found.happened, found.note).await?.into()))
}
