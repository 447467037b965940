//! Removes all rights of a person in the workspace.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::use_cases::RemovePersonAccess;
use http::StatusCode;

use crate::authentication::{Admin, WorkspaceAccess};
use crate::extractors::PathParams;
use crate::problem::Problem;
use crate::routes::path_params::PersonPath;
use crate::server_state::ServerState;

/// Takes all rights from a person of the workspace: revokes their tokens, removes their targets with the links that were sent
/// to them, and forgets the secrets that they brought. Their name stays theirs in what they did.
#[utoipa::path(
    delete,
    path = "/v1/workspaces/{w}/people/{person}",
    operation_id = "expel_person",
    tag = "tokens",
    params(PersonPath),
    responses((status = 204)),
    extensions(("x-scope" = json!("admin")))
)]
pub(crate) async fn expel_person(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Admin>,
    PathParams(path): PathParams<PersonPath>,
) -> Result<StatusCode, Problem> {
    let ports = &state.ports;
    let expel = RemovePersonAccess::new(
        ports.access.clone(),
        ports.outbox.clone(),
        ports.store.clone(),
        ports.person_secrets.clone(),
        ports.clock.clone(),
    );
    expel.run(caller.workspace(), &path.person).await?;
    Ok(StatusCode::NO_CONTENT)
}
