//! Revokes a token of the workspace.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::use_cases::RevokeToken;
use http::StatusCode;

use crate::authentication::{Admin, WorkspaceAccess};
use crate::extractors::{PathParams, QueryParams};
use crate::problem::Problem;
use crate::routes::path_params::TokenPath;
use crate::routes::tokens::{TokenReachQuery, token_reach};
use crate::server_state::ServerState;

/// Revokes a token of the workspace.
#[utoipa::path(
    delete,
    path = "/v1/workspaces/{w}/tokens/{t}",
    operation_id = "revoke_token",
    tag = "tokens",
    params(TokenPath, TokenReachQuery),
    responses((status = 204)),
    extensions(("x-scope" = json!("admin")))
)]
pub(crate) async fn revoke_token(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Admin>,
    PathParams(path): PathParams<TokenPath>,
    QueryParams(query): QueryParams<TokenReachQuery>,
) -> Result<StatusCode, Problem> {
    let reach = token_reach(&caller, query.everywhere)?;
    let revoke = RevokeToken::new(state.ports.access.clone(), state.ports.clock.clone());
    revoke.run(&reach, &path.t).await?;
    Ok(StatusCode::NO_CONTENT)
}
