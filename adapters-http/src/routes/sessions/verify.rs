//! Checks whether replaying a session's journal yields the stored state.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::use_cases::VerifySession;
use serde::Serialize;
use utoipa::ToSchema;

use crate::authentication::{Read, WorkspaceAccess};
use crate::extractors::{JsonResponse, JsonResult, PathParams};
use crate::routes::path_params::SessionPath;
use crate::server_state::ServerState;

/// Checks that the journal of a session gives its stored state. It changes nothing.
#[utoipa::path(
    post,
    path = "/v1/workspaces/{w}/sessions/{s}/verify",
    operation_id = "verify_session",
    tag = "sessions",
    params(SessionPath),
    responses((status = 200, body = VerdictShape)),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn verify_session(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Read>,
    PathParams(path): PathParams<SessionPath>,
) -> JsonResult<VerdictShape> {
    let verify = VerifySession::new(state.ports.store.clone(), state.ports.log.clone());
    let mismatch = verify.run(caller.workspace(), &path.session()).await?;
    Ok(JsonResponse(VerdictShape {
        same: mismatch.is_none(),
        stored: mismatch.as_ref().map(|mismatch| mismatch.stored.clone()),
        replayed: mismatch.map(|mismatch| mismatch.replayed),
    }))
}

/// What was found.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct VerdictShape {
    /// The journal gives the stored state.
    same: bool,
    /// The stored state, when it does not.
    stored: Option<String>,
    /// What the journal gives.
    replayed: Option<String>,
}
