//! Adds a person to the workspace.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::use_cases::AddPerson;
use http::StatusCode;

use crate::authentication::{Admin, WorkspaceAccess, require_operator};
use crate::extractors::{JsonBody, JsonResponse};
use crate::problem::Problem;
use crate::routes::path_params::WorkspacePath;
use crate::server_state::ServerState;
use crate::shapes::token::{NewPersonShape, PersonShape};

/// Adds a person to the workspace; one who is known by that name already is answered with 200. Their name is the author of
/// all that they do, so it cannot be changed. Who there is decides an operator: somebody with a token for every workspace.
#[utoipa::path(
    post,
    path = "/v1/workspaces/{w}/people",
    operation_id = "add_person",
    tag = "tokens",
    params(WorkspacePath),
    request_body = NewPersonShape,
    responses((status = 201, body = PersonShape), (status = 200, body = PersonShape)),
    extensions(("x-scope" = json!("admin")), ("x-reach" = json!("everywhere")))
)]
pub(crate) async fn add_person(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Admin>,
    JsonBody(new): JsonBody<NewPersonShape>,
) -> Result<(StatusCode, JsonResponse<PersonShape>), Problem> {
    require_operator(caller.principal())?;
    let ports = &state.ports;
    let add = AddPerson::new(ports.access.clone(), ports.clock.clone(), ports.ids.clone());
    let (person, is_new) = add.run(caller.workspace(), &new.name).await?;
    let status = if is_new { StatusCode::CREATED } else { StatusCode::OK };
    Ok((status, JsonResponse(PersonShape::from(&person))))
}
