//! Opens or renews an attachment to a session, without asking for its slot.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::use_cases::AttachSession;

use crate::authentication::{Chat, WorkspaceAccess};
use crate::extractors::{JsonResponse, JsonResult, PathParams};
use crate::routes::path_params::SessionPath;
use crate::server_state::ServerState;
use crate::shapes::session::AcceptedShape;

/// Says that a session is open here, or still open, without asking for a slot.
#[utoipa::path(
    put,
    path = "/v1/workspaces/{w}/sessions/{s}/attachment",
    operation_id = "attach_session",
    tag = "sessions",
    params(SessionPath),
    responses((status = 200, body = AcceptedShape)),
    extensions(("x-scope" = json!("chat")))
)]
pub(crate) async fn attach_session(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Chat>,
    PathParams(path): PathParams<SessionPath>,
) -> JsonResult<AcceptedShape> {
    let attach = AttachSession::new(caller.mail_sender(&state));
    // The same id as in `open`: one for each token.
    let attachment = format!("http-{}", caller.principal().token().id);
    Ok(JsonResponse(
        attach.run(caller.workspace(), &path.session(), caller.author(), attachment).await?.into(),
    ))
}
