//! Reads a token of the workspace, never its secret.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::ports::AccessReach;
use entracte_application::terminal_text::one_line;
use entracte_application::texts::saying;
use entracte_application::use_cases::ListTokens;

use crate::authentication::{Admin, WorkspaceAccess};
use crate::extractors::{JsonResponse, JsonResult, PathParams};
use crate::problem::{Problem, ProblemCode};
use crate::routes::path_params::TokenPath;
use crate::server_state::ServerState;
use crate::shapes::token::TokenShape;

/// A token of the workspace; never its secret.
#[utoipa::path(
    get,
    path = "/v1/workspaces/{w}/tokens/{t}",
    operation_id = "get_token",
    tag = "tokens",
    params(TokenPath),
    responses((status = 200, body = TokenShape)),
    extensions(("x-scope" = json!("admin")))
)]
pub(crate) async fn get_token(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Admin>,
    PathParams(path): PathParams<TokenPath>,
) -> JsonResult<TokenShape> {
    let here = AccessReach::Workspace(caller.workspace().clone());
    let tokens = ListTokens::new(state.ports.access.clone()).run(&here).await?;
    let found = tokens.iter().find(|(token, _)| token.id == path.t);
    let (token, person) = found.ok_or_else(|| {
        Problem::new(ProblemCode::NotFound, saying!("refusal-no-token", token = one_line(&path.t)))
    })?;
    Ok(JsonResponse(TokenShape::new(token, person)))
}
