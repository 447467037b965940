//! Logs a browser in with the secret of the link that `serve` printed, once.

use std::sync::Arc;

use axum::Extension;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use entracte_application::ports::{Reach, Scope, Scopes, TokenKind};
use entracte_application::use_cases::{CreateToken, NewToken};
use http::header;

use crate::access::Client;
use crate::body::{Body, Json};
use crate::house::House;
use crate::problem::{Code, Problem};
use crate::routes::doors::cookie;
use crate::shapes::iso;
use crate::shapes::token::{LoggedInShape, LoginShape};
use secrecy::ExposeSecret;

/// Logs a browser in with the secret of the link that `serve` printed, once.
#[utoipa::path(
    post,
    path = "/v1/login",
    operation_id = "login",
    tag = "doors",
    request_body = LoginShape,
    responses((status = 200, body = LoggedInShape)),
    extensions(("x-scope" = json!(null)))
)]
pub(crate) async fn login(
    State(house): State<Arc<House>>,
    Extension(client): Extension<Client>,
    Body(login): Body<LoginShape>,
) -> Result<Response, Problem> {
    let Some(operator) = house.spend_link(&login.secret) else {
        let text = "this link was used or has expired; `entracte serve` prints a new one when it starts";
        return Err(house.count_failure(client.0, Problem::new(Code::LinkSpent, text)));
    };
    let ports = &house.ports;
    let create = CreateToken::new(ports.access.clone(), ports.clock.clone(), ports.ids.clone());
    let expires_at = ports.clock.now().plus(house.terms.limits.login_lasts);
    let made = create
        .run(NewToken {
            person: operator,
            reach: Reach::Everywhere,
            kind: TokenKind::Browser,
            name: "browser".to_owned(),
            scopes: Scopes::new([Scope::Admin]),
            expires_at: Some(expires_at),
        })
        .await?;
    let proof = made.proof.map(|proof| proof.expose_secret().to_owned()).unwrap_or_default();
    let seconds = house.terms.limits.login_lasts.0 / 1000;
    let cookie = cookie(&house, made.secret.expose_secret(), seconds);
    let shape = LoggedInShape { proof, expires_at: Some(iso(expires_at)) };
    Ok(([(header::SET_COOKIE, cookie)], Json(shape)).into_response())
}
