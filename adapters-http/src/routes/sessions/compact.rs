//! Compacts the conversation of a resting chat; the chat rests afterwards too.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::use_cases::CompactSession;

use crate::authentication::{Chat, WorkspaceAccess};
use crate::extractors::{JsonResponse, JsonResult, PathParams};
use crate::routes::path_params::SessionPath;
use crate::server_state::ServerState;
use crate::shapes::session::AcceptedShape;

/// Summarizes the conversation of an idle chat now; it stays idle.
#[utoipa::path(
    post,
    path = "/v1/workspaces/{w}/sessions/{s}/compact",
    operation_id = "compact_session",
    tag = "sessions",
    params(SessionPath),
    responses((status = 200, body = AcceptedShape)),
    extensions(("x-scope" = json!("chat")))
)]
pub(crate) async fn compact_session(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Chat>,
    PathParams(path): PathParams<SessionPath>,
) -> JsonResult<AcceptedShape> {
    let compact = CompactSession::new(caller.mail_sender(&state));
    Ok(JsonResponse(compact.run(caller.workspace(), &path.session(), caller.author()).await?.into()))
}
