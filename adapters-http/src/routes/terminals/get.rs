//! Shows a terminal that asks to be logged in.

use std::sync::Arc;

use axum::Extension;
use axum::extract::State;

use super::unknown_code_problem;
use crate::authentication::{Admin, ClientAddress, TokenAccess};
use crate::extractors::{JsonResponse, JsonResult, PathParams};
use crate::routes::path_params::TerminalPath;
use crate::server_state::ServerState;
use crate::shapes::terminal_login::TerminalLoginShape;

/// The terminal that waits with this code. Wrong codes count like wrong tokens.
#[utoipa::path(
    get,
    path = "/v1/login/terminals/{code}",
    operation_id = "get_terminal_login",
    tag = "server",
    params(TerminalPath),
    responses((status = 200, body = TerminalLoginShape)),
    extensions(("x-scope" = json!("admin")))
)]
pub(crate) async fn get_terminal_login(
    State(state): State<Arc<ServerState>>,
    TokenAccess(_visitor, _): TokenAccess<Admin>,
    Extension(client): Extension<ClientAddress>,
    PathParams(path): PathParams<TerminalPath>,
) -> JsonResult<TerminalLoginShape> {
    let login = state.terminal_logins.find(&path.code, state.ports.clock.monotonic());
    let login = login.ok_or_else(|| unknown_code_problem(&state, client.0))?;
    Ok(JsonResponse((&login).into()))
}
