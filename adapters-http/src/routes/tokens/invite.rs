//! Invites a person to accept a token.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::use_cases::{InvitePerson, NewInvitation};
use http::StatusCode;
use secrecy::ExposeSecret;

use super::create::scopes;
use crate::authentication::{Admin, WorkspaceAccess};
use crate::extractors::{JsonBody, JsonResponse};
use crate::problem::Problem;
use crate::routes::path_params::WorkspacePath;
use crate::server_state::ServerState;
use crate::shapes::token::{InvitationShape, NewInvitationShape, TokenShape};

/// Invites a person of the workspace to a token. Its code is shown only this once; it is worth nothing without a token of the
/// person whom it is for, who takes the token that they are invited to (`…/invitations/acceptance`).
#[utoipa::path(
    post,
    path = "/v1/workspaces/{w}/invitations",
    operation_id = "invite_person",
    tag = "tokens",
    params(WorkspacePath),
    request_body = NewInvitationShape,
    responses((status = 201, body = InvitationShape)),
    extensions(("x-scope" = json!("admin")))
)]
pub(crate) async fn invite_person(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Admin>,
    JsonBody(new): JsonBody<NewInvitationShape>,
) -> Result<(StatusCode, JsonResponse<InvitationShape>), Problem> {
    let ports = &state.ports;
    let invite = InvitePerson::new(ports.access.clone(), ports.clock.clone(), ports.ids.clone());
    let new = NewInvitation { person: new.person, name: new.name, scopes: scopes(&new.scopes)? };
    let made = invite.run(caller.workspace(), new, state.terms.limits.invitation_lasts).await?;
    let shape = InvitationShape {
        invitation: TokenShape::new(&made.token, &made.person),
        code: made.secret.expose_secret().to_owned(),
    };
    Ok((StatusCode::CREATED, JsonResponse(shape)))
}
