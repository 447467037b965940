//! Reads the instructions of a workspace, of the runs of an automation, or of a session.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use entracte_application::instructions::InstructionScope;
use serde::Deserialize;
use utoipa::IntoParams;

use crate::authentication::{Read, WorkspaceAccess, WorkspacePrincipal};
use crate::etag::EntityTag;
use crate::extractors::{PathParams, QueryParams};
use crate::problem::Problem;
use crate::routes::instructions::{of_automation, reader, shape};
use crate::routes::path_params::{AutomationPath, SessionPath, WorkspacePath};
use crate::routes::response_with_etag;
use crate::server_state::ServerState;
use crate::shapes::instructions::InstructionsShape;

/// Which version.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct InstructionsQuery {
    /// An earlier version, by its number; the current one unless given.
    version: Option<u64>,
}

async fn get(
    state: &ServerState,
    caller: &WorkspacePrincipal,
    scope: &InstructionScope,
    query: &InstructionsQuery,
) -> Result<Response, Problem> {
    let shape = match query.version {
        None => shape(state, caller.workspace(), scope).await?,
        Some(version) => {
            let found = reader(state).version(caller.workspace(), scope, version).await?;
            InstructionsShape::new(scope, Some(&found))
        }
    };
    Ok(response_with_etag(Some(EntityTag::from_content(&shape)), shape))
}

/// The instructions of the workspace.
#[utoipa::path(
    get,
    path = "/v1/workspaces/{w}/instructions",
    operation_id = "get_workspace_instructions",
    tag = "instructions",
    params(WorkspacePath, InstructionsQuery),
    responses((status = 200, body = InstructionsShape, headers(("ETag" = String)))),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn get_workspace_instructions(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Read>,
    QueryParams(query): QueryParams<InstructionsQuery>,
) -> Result<Response, Problem> {
    get(&state, &caller, &InstructionScope::Workspace, &query).await
}

/// The instructions of the runs of an automation.
#[utoipa::path(
    get,
    path = "/v1/workspaces/{w}/automations/{a}/instructions",
    operation_id = "get_automation_instructions",
    tag = "instructions",
    params(AutomationPath, InstructionsQuery),
    responses((status = 200, body = InstructionsShape, headers(("ETag" = String)))),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn get_automation_instructions(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Read>,
    PathParams(path): PathParams<AutomationPath>,
    QueryParams(query): QueryParams<InstructionsQuery>,
) -> Result<Response, Problem> {
    get(&state, &caller, &of_automation(&path), &query).await
}

/// The instructions of a session.
#[utoipa::path(
    get,
    path = "/v1/workspaces/{w}/sessions/{s}/instructions",
    operation_id = "get_session_instructions",
    tag = "instructions",
    params(SessionPath, InstructionsQuery),
    responses((status = 200, body = InstructionsShape, headers(("ETag" = String)))),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn get_session_instructions(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Read>,
    PathParams(path): PathParams<SessionPath>,
    QueryParams(query): QueryParams<InstructionsQuery>,
) -> Result<Response, Problem> {
    get(&state, &caller, &InstructionScope::Session(path.session()), &query).await
}
