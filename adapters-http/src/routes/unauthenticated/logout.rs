//! Ends the login of a browser; a program's token is not revoked.

use std::sync::Arc;

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use entracte_application::ports::TokenKind;
use entracte_application::use_cases::RevokeToken;
use http::{StatusCode, header};

use crate::authentication::{Read, TokenAccess};
use crate::problem::Problem;
use crate::routes::unauthenticated::cookie;
use crate::server_state::ServerState;

/// Ends the login of a browser; a token of a program is not revoked by it.
#[utoipa::path(
    post,
    path = "/v1/logout",
    operation_id = "logout",
    tag = "server",
    responses((status = 204)),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn logout(
    State(state): State<Arc<ServerState>>,
    TokenAccess(visitor, _): TokenAccess<Read>,
) -> Result<Response, Problem> {
    let token = visitor.token();
    if token.kind == TokenKind::Browser {
        let revoke = RevokeToken::new(state.ports.access.clone(), state.ports.clock.clone());
        revoke.run(&token.reach, &token.id).await?;
    }
    Ok((StatusCode::NO_CONTENT, [(header::SET_COOKIE, cookie(&state, "", 0))]).into_response())
}
