//! Stops the running round; the session rests.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::use_cases::InterruptRound;

use crate::authentication::{Chat, WorkspaceAccess};
use crate::extractors::{JsonResponse, JsonResult, PathParams};
use crate::routes::path_params::SessionPath;
use crate::server_state::ServerState;
use crate::shapes::session::AcceptedShape;

/// Interrupts the current round; the session is idle then.
#[utoipa::path(
    post,
    path = "/v1/workspaces/{w}/sessions/{s}/interrupt",
    operation_id = "interrupt_session",
    tag = "sessions",
    params(SessionPath),
    responses((status = 200, body = AcceptedShape)),
    extensions(("x-scope" = json!("chat")))
)]
pub(crate) async fn interrupt_session(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Chat>,
    PathParams(path): PathParams<SessionPath>,
) -> JsonResult<AcceptedShape> {
    let interrupt = InterruptRound::new(caller.mail_sender(&state));
    Ok(JsonResponse(interrupt.run(caller.workspace(), &path.session(), caller.author()).await?.into()))
}
