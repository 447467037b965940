//! Reads the instructions of a workspace, of the runs of an automation, or of a session.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use entracte_application::instructions::InstructionScope;

use crate::authentication::{Read, WorkspaceAccess, WorkspacePrincipal};
use crate::etag::EntityTag;
use crate::extractors::PathParams;
use crate::problem::Problem;
use crate::routes::instructions::{of_automation, shape};
use crate::routes::path_params::{AutomationPath, SessionPath, WorkspacePath};
use crate::routes::response_with_etag;
use crate::server_state::ServerState;
use crate::shapes::instructions::InstructionsShape;

async fn get(
    state: &ServerState,
    caller: &WorkspacePrincipal,
    scope: &InstructionScope,
) -> Result<Response, Problem> {
    let shape = shape(state, caller.workspace(), scope).await?;
    Ok(response_with_etag(Some(EntityTag::from_content(&shape)), shape))
}

/// The instructions of the workspace.
#[utoipa::path(
    get,
    path = "/v1/workspaces/{w}/instructions",
    operation_id = "get_workspace_instructions",
    tag = "instructions",
    params(WorkspacePath),
    responses((status = 200, body = InstructionsShape, headers(("ETag" = String)))),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn get_workspace_instructions(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Read>,
) -> Result<Response, Problem> {
    get(&state, &caller, &InstructionScope::Workspace).await
}

/// The instructions of the runs of an automation.
#[utoipa::path(
    get,
    path = "/v1/workspaces/{w}/automations/{a}/instructions",
    operation_id = "get_automation_instructions",
    tag = "instructions",
    params(AutomationPath),
    responses((status = 200, body = InstructionsShape, headers(("ETag" = String)))),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn get_automation_instructions(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Read>,
    PathParams(path): PathParams<AutomationPath>,
) -> Result<Response, Problem> {
    get(&state, &caller, &of_automation(&path)).await
}

/// The instructions of a session.
#[utoipa::path(
    get,
    path = "/v1/workspaces/{w}/sessions/{s}/instructions",
    operation_id = "get_session_instructions",
    tag = "instructions",
    params(SessionPath),
    responses((status = 200, body = InstructionsShape, headers(("ETag" = String)))),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn get_session_instructions(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Read>,
    PathParams(path): PathParams<SessionPath>,
) -> Result<Response, Problem> {
    get(&state, &caller, &InstructionScope::Session(path.session())).await
}
