//! Logs a browser in with the secret of a link that `entracte login` or `serve` printed, once.

use std::sync::Arc;

use axum::Extension;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use entracte_application::texts::saying;
use entracte_application::use_cases::{LoginLinkError, RedeemLoginLink};
use http::header;

use crate::authentication::ClientAddress;
use crate::extractors::{JsonBody, JsonResponse};
use crate::problem::{Problem, ProblemCode};
use crate::routes::unauthenticated::cookie;
use crate::server_state::ServerState;
use crate::shapes::iso;
use crate::shapes::token::{LoggedInShape, LoginShape};
use secrecy::ExposeSecret;

/// Logs a browser in with the secret of a link that `entracte login` or `serve` printed, once.
#[utoipa::path(
    post,
    path = "/v1/login",
    operation_id = "login",
    tag = "server",
    request_body = LoginShape,
    responses((status = 200, body = LoggedInShape)),
    extensions(("x-scope" = json!(null)))
)]
pub(crate) async fn login(
    State(state): State<Arc<ServerState>>,
    Extension(client): Extension<ClientAddress>,
    JsonBody(login): JsonBody<LoginShape>,
) -> Result<Response, Problem> {
    let (ports, lasts) = (&state.ports, state.terms.limits.login_lasts);
    let log_in = RedeemLoginLink::new(ports.access.clone(), ports.clock.clone(), ports.ids.clone());
    let made = match log_in.run(&login.secret, lasts).await {
        Ok(made) => made,
        Err(LoginLinkError::Spent) => {
            let spent = Problem::new(ProblemCode::LinkSpent, saying!("refusal-login-link"));
            return Err(state.count_failure(client.0, spent));
        }
        Err(LoginLinkError::Failed(error)) => return Err(error.into()),
    };
    let proof = made.proof.map(|proof| proof.expose_secret().to_owned()).unwrap_or_default();
    let left = made.token.expires_at.map_or(lasts, |end| end.since(ports.clock.now()));
    let cookie = cookie(&state, made.secret.expose_secret(), left.0 / 1000);
    let shape = LoggedInShape { proof, expires_at: made.token.expires_at.map(iso) };
    Ok(([(header::SET_COOKIE, cookie)], JsonResponse(shape)).into_response())
}
