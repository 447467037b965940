//! Allows or refuses the login of a terminal, once.

use std::sync::Arc;

use axum::Extension;
use axum::extract::State;
use entracte_application::ports::{TokenScope, TokenScopes};
use entracte_application::texts::saying;
use entracte_application::use_cases::UseCaseError;
use entracte_domain::time::Timestamp;

use super::unknown_code_problem;
use crate::authentication::{Admin, ClientAddress, TokenAccess, TokenPrincipal};
use crate::extractors::{JsonBody, JsonResponse, JsonResult, PathParams};
use crate::problem::{Problem, ProblemCode};
use crate::routes::instant_of;
use crate::routes::path_params::TerminalPath;
use crate::routes::tokens::create::scopes;
use crate::server_state::ServerState;
use crate::shapes::terminal_login::{TerminalDecisionShape, TerminalLoginShape};
use crate::terminal_logins::{TerminalDecisionFault, TerminalGrant};

/// Allows or refuses the terminal that waits with this code: the first decision counts. Its token is that of the person who
/// allows it, for the workspaces of their login. It takes the scope admin, which the login of a browser has, so no token gets
/// more than the one that allowed it; a token of a page of another site decides nothing.
#[utoipa::path(
    post,
    path = "/v1/login/terminals/{code}/decision",
    operation_id = "decide_terminal_login",
    tag = "server",
    params(TerminalPath),
    request_body = TerminalDecisionShape,
    responses((status = 200, body = TerminalLoginShape)),
    extensions(("x-scope" = json!("admin")))
)]
pub(crate) async fn decide_terminal_login(
    State(state): State<Arc<ServerState>>,
    TokenAccess(visitor, _): TokenAccess<Admin>,
    Extension(client): Extension<ClientAddress>,
    PathParams(path): PathParams<TerminalPath>,
    JsonBody(decision): JsonBody<TerminalDecisionShape>,
) -> JsonResult<TerminalLoginShape> {
    let grant = match decision.allow {
        true => Some(grant(&state, &visitor, decision)?),
        false => None,
    };
    let now = state.ports.clock.monotonic();
    match state.terminal_logins.decide(&path.code, grant, now) {
        Ok(login) => Ok(JsonResponse((&login).into())),
        Err(TerminalDecisionFault::Unknown) => Err(unknown_code_problem(&state, client.0)),
        Err(TerminalDecisionFault::Decided) => {
            let text = saying!("refusal-terminal-decided");
            Err(Problem::new(ProblemCode::AlreadyDecided, text))
        }
    }
}

/// What the decision grants.
fn grant(
    state: &ServerState,
    visitor: &TokenPrincipal,
    decision: TerminalDecisionShape,
) -> Result<TerminalGrant, Problem> {
    let now = state.ports.clock.now();
    let expires_at = instant_of("expires_at", decision.expires_at)?;
    Ok(TerminalGrant {
        token: visitor.token().clone(),
        person: visitor.person().clone(),
        scopes: readable_scopes(&decision.scopes)?,
        expires_at: future(expires_at.unwrap_or_else(|| now.plus(state.terms.limits.login_lasts)), now)?,
    })
}

/// The scopes of these words; without `read` a terminal could not even ask whose it is.
fn readable_scopes(words: &[String]) -> Result<TokenScopes, Problem> {
    let scopes = scopes(words)?;
    if scopes.allow(TokenScope::Read) {
        return Ok(scopes);
    }
    Err(Problem::invalid_field("scopes", saying!("refusal-terminal-read")))
}

fn future(expires_at: Timestamp, now: Timestamp) -> Result<Timestamp, Problem> {
    match expires_at > now {
        true => Ok(expires_at),
        false => Err(UseCaseError::Invalid(saying!("token-past").into()).into()),
    }
}
