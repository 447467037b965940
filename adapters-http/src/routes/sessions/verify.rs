//! Checks whether replaying a session's journal yields the stored state.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::ports::StoreError;
use entracte_application::terminal_text::error_chain;
use entracte_application::use_cases::{UseCaseError, VerifySession};

use crate::authentication::{Read, WorkspaceAccess};
use crate::extractors::{JsonResponse, JsonResult, PathParams};
use crate::routes::path_params::SessionPath;
use crate::server_state::ServerState;
use crate::shapes::verdict::VerdictShape;

/// Checks that the journal of a session gives its stored state. It changes nothing. A session that is going by the
/// retention policy has no whole journal any more, which is refused.
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
    Ok(JsonResponse(match verify.run(caller.workspace(), &path.session()).await {
        Ok(mismatch) => VerdictShape::new(mismatch),
        Err(
            error @ (UseCaseError::NotFound(_)
            | UseCaseError::NotApplicable(_)
            | UseCaseError::Store(StoreError::Unavailable(_))),
        ) => return Err(error.into()),
        // A session that cannot be read is damaged; that is the verdict.
        Err(error) => VerdictShape::damaged(error_chain(&error)),
    }))
}
