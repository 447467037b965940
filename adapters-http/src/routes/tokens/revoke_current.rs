//! Revokes the token of the request itself.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::use_cases::RevokeToken;
use http::StatusCode;

use crate::authentication::{Read, TokenAccess};
use crate::problem::Problem;
use crate::server_state::ServerState;

/// Revokes the token that the request is sent with, also that of a program: the logout of a terminal.
#[utoipa::path(
    delete,
    path = "/v1/me/token",
    operation_id = "revoke_current_token",
    tag = "tokens",
    responses((status = 204)),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn revoke_current_token(
    State(state): State<Arc<ServerState>>,
    TokenAccess(visitor, _): TokenAccess<Read>,
) -> Result<StatusCode, Problem> {
    let revoke = RevokeToken::new(state.ports.access.clone(), state.ports.clock.clone());
    revoke.run(visitor.reach(), &visitor.token().id).await?;
    state.notify_lists_changed();
    Ok(StatusCode::NO_CONTENT)
}
