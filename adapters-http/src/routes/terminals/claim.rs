//! Gives a terminal its token, once, if a person allowed it.

use std::sync::Arc;

use axum::Extension;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use entracte_application::ports::TokenKind;
use entracte_application::texts::saying;
use entracte_application::use_cases::{CreateToken, IssuedToken, NewToken, TokenIssuer};
use http::StatusCode;
use secrecy::ExposeSecret;

use crate::authentication::ClientAddress;
use crate::extractors::{JsonBody, JsonResponse};
use crate::problem::{Problem, ProblemCode};
use crate::server_state::ServerState;
use crate::shapes::terminal_login::{TerminalClaimShape, TerminalTokenShape};
use crate::shapes::token::TokenShape;
use crate::terminal_logins::{TerminalClaim, TerminalGrant};

/// Takes the token of a terminal's login, once. Until a person has decided, the answer is 202, and the terminal asks again after
/// the seconds that it was told. A refused login is `login-refused`; one that expired, was taken before, or is not known to
/// this server since it began is `link-spent`.
#[utoipa::path(
    post,
    path = "/v1/login/terminals/claim",
    operation_id = "claim_terminal_login",
    tag = "server",
    request_body = TerminalClaimShape,
    responses((status = 200, body = TerminalTokenShape), (status = 202)),
    extensions(("x-scope" = json!(null)))
)]
pub(crate) async fn claim_terminal_login(
    State(state): State<Arc<ServerState>>,
    Extension(client): Extension<ClientAddress>,
    JsonBody(claim): JsonBody<TerminalClaimShape>,
) -> Result<Response, Problem> {
    let claimed = state.terminal_logins.claim(&claim.secret, state.ports.clock.monotonic());
    let (login, grant) = match claimed {
        TerminalClaim::Waiting => return Ok(StatusCode::ACCEPTED.into_response()),
        TerminalClaim::Refused => {
            return Err(Problem::new(ProblemCode::LoginRefused, saying!("refusal-login-refused")));
        }
        TerminalClaim::Unknown => {
            let text = saying!("refusal-login-unknown");
            return Err(state.count_failure(client.0, Problem::new(ProblemCode::LinkSpent, text)));
        }
        TerminalClaim::Allowed(login, grant) => (login, grant),
    };
    match create_token(&state, &login.request.name, *grant).await {
        Ok(made) => {
            state.notify_lists_changed();
            Ok(JsonResponse(shape(&made)).into_response())
        }
        Err(problem) => {
            // The terminal asks again, once the database can be written.
            state.terminal_logins.restore(*login);
            Err(problem)
        }
    }
}

async fn create_token(state: &ServerState, name: &str, grant: TerminalGrant) -> Result<IssuedToken, Problem> {
    let ports = &state.ports;
    let issuer = ports.access.token(&grant.token.id).await?;
    if issuer.is_none_or(|(token, _)| token.revoked_at.is_some()) {
        let text = saying!("refusal-login-ended");
        return Err(Problem::new(ProblemCode::LoginRefused, text));
    }
    let new = NewToken {
        person: grant.person.name.clone(),
        reach: grant.token.reach.clone(),
        kind: TokenKind::Program,
        name: name.to_owned(),
        scopes: grant.scopes,
        embedded: None,
        expires_at: Some(grant.expires_at),
        made_by: None,
    };
    let create = CreateToken::new(ports.access.clone(), ports.clock.clone(), ports.ids.clone());
    Ok(create.with_issuer(TokenIssuer::new(grant.token, grant.person)).run(new).await?)
}

fn shape(made: &IssuedToken) -> TerminalTokenShape {
    let TokenShape { workspace, scopes, expires_at, .. } = TokenShape::new(&made.token, &made.person);
    TerminalTokenShape {
        token: made.secret.expose_secret().to_owned(),
        person: made.person.name.clone(),
        workspace,
        scopes,
        expires_at,
    }
}
