//! Asks for the slot of a session.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::use_cases::OpenSession;

use crate::authentication::{Chat, WorkspaceAccess};
use crate::extractors::{JsonResponse, JsonResult, PathParams};
use crate::routes::path_params::SessionPath;
use crate::server_state::ServerState;
use crate::shapes::session::AcceptedShape;

/// Opens a session, and asks for its slot.
#[utoipa::path(
    post,
    path = "/v1/workspaces/{w}/sessions/{s}/open",
    operation_id = "open_session",
    tag = "sessions",
    params(SessionPath),
    responses((status = 200, body = AcceptedShape)),
    extensions(("x-scope" = json!("chat")))
)]
pub(crate) async fn open_session(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Chat>,
    PathParams(path): PathParams<SessionPath>,
) -> JsonResult<AcceptedShape> {
    let open = OpenSession::new(caller.mail_sender(&state));
    // One attachment for each token: opening again renews it, and its lease expires by itself.
    let attachment = format!("http-{}", caller.principal().token().id);
    Ok(JsonResponse(open.run(caller.workspace(), &path.session(), caller.author(), attachment).await?.into()))
}
