//! Reads a person of the workspace.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::use_cases::ReadPerson;

use crate::authentication::{Admin, WorkspaceAccess};
use crate::extractors::{JsonResponse, JsonResult, PathParams};
use crate::routes::path_params::PersonPath;
use crate::server_state::ServerState;
use crate::shapes::token::OnePersonShape;

/// A person of the workspace, and whether they have tokens that count.
#[utoipa::path(
    get,
    path = "/v1/workspaces/{w}/people/{person}",
    operation_id = "get_person",
    tag = "tokens",
    params(PersonPath),
    responses((status = 200, body = OnePersonShape)),
    extensions(("x-scope" = json!("admin")))
)]
pub(crate) async fn get_person(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Admin>,
    PathParams(path): PathParams<PersonPath>,
) -> JsonResult<OnePersonShape> {
    let read = ReadPerson::new(state.ports.access.clone());
    let (person, tokens) = read.run(caller.workspace(), &path.person).await?;
    Ok(JsonResponse(OnePersonShape { person: (&person).into(), tokens }))
}
