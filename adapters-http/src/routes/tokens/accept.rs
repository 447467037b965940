//! Accepts an invitation, and returns the token.

use std::sync::Arc;

use axum::Extension;
use axum::extract::State;
use entracte_application::texts::saying;
use entracte_application::use_cases::{AcceptInvitation, InvitationError};
use http::StatusCode;
use secrecy::ExposeSecret;

use crate::authentication::{ClientAddress, Read, WorkspaceAccess};
use crate::extractors::{JsonBody, JsonResponse};
use crate::problem::{Problem, ProblemCode};
use crate::routes::instant_of;
use crate::routes::path_params::WorkspacePath;
use crate::server_state::ServerState;
use crate::shapes::token::{AcceptanceShape, MadeTokenShape, TokenShape};

/// Takes the token that an invitation is for, once, by its code and a token of the person who is invited. Its secret is shown
/// only this once.
#[utoipa::path(
    post,
    path = "/v1/workspaces/{w}/invitations/acceptance",
    operation_id = "accept_invitation",
    tag = "tokens",
    params(WorkspacePath),
    request_body = AcceptanceShape,
    responses((status = 201, body = MadeTokenShape)),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn accept_invitation(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Read>,
    Extension(client): Extension<ClientAddress>,
    JsonBody(accepted): JsonBody<AcceptanceShape>,
) -> Result<(StatusCode, JsonResponse<MadeTokenShape>), Problem> {
    let ports = &state.ports;
    let accept = AcceptInvitation::new(ports.access.clone(), ports.clock.clone(), ports.ids.clone());
    let (own_token, person) = (caller.principal().token(), caller.principal().person());
    let expires_at = instant_of("expires_at", accepted.expires_at)?;
    let made = match accept.run(own_token, person, caller.workspace(), &accepted.code, expires_at).await {
        Ok(made) => made,
        Err(InvitationError::Spent) => {
            let spent = Problem::new(ProblemCode::LinkSpent, saying!("refusal-invitation"));
            return Err(state.count_failure(client.0, spent));
        }
        Err(InvitationError::Failed(error)) => return Err(error.into()),
    };
    let shape = MadeTokenShape {
        token: TokenShape::new(&made.token, &made.person),
        secret: Some(made.secret.expose_secret().to_owned()),
    };
    Ok((StatusCode::CREATED, JsonResponse(shape)))
}
