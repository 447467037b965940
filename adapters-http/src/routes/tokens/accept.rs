//! Takes the token of an invitation.

use std::sync::Arc;

use axum::Extension;
use axum::extract::State;
use entracte_application::use_cases::{AcceptInvitation, InvitationError};
use http::StatusCode;
use secrecy::ExposeSecret;

use crate::access::{Access, Client, Read};
use crate::body::{Body, Json};
use crate::house::House;
use crate::problem::{Code, Problem};
use crate::routes::instant_of;
use crate::routes::path::OfWorkspace;
use crate::shapes::token::{AcceptanceShape, MadeTokenShape, TokenShape};

/// Takes the token that an invitation is for, once, by its code and a token of the person who is invited. Its secret is shown
/// only this once.
#[utoipa::path(
    post,
    path = "/v1/workspaces/{w}/invitations/acceptance",
    operation_id = "accept_invitation",
    tag = "tokens",
    params(OfWorkspace),
    request_body = AcceptanceShape,
    responses((status = 201, body = MadeTokenShape)),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn accept_invitation(
    State(house): State<Arc<House>>,
    Access(caller, _): Access<Read>,
    Extension(client): Extension<Client>,
    Body(accepted): Body<AcceptanceShape>,
) -> Result<(StatusCode, Json<MadeTokenShape>), Problem> {
    let ports = &house.ports;
    let accept = AcceptInvitation::new(ports.access.clone(), ports.clock.clone(), ports.ids.clone());
    let own = (caller.visitor().token(), caller.visitor().person());
    let expires_at = instant_of("expires_at", accepted.expires_at)?;
    let made = match accept.run(own, caller.workspace(), &accepted.code, expires_at).await {
        Ok(made) => made,
        Err(spent @ InvitationError::Spent) => {
            return Err(house.count_failure(client.0, Problem::new(Code::LinkSpent, spent.to_string())));
        }
        Err(InvitationError::Failed(error)) => return Err(error.into()),
    };
    let shape = MadeTokenShape {
        token: TokenShape::new(&made.token, &made.person),
        secret: Some(made.secret.expose_secret().to_owned()),
    };
    Ok((StatusCode::CREATED, Json(shape)))
}
