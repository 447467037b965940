//! Clears the instructions of a workspace, of the runs of an automation, or of a session. Earlier versions stay listed.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use entracte_application::instructions::InstructionScope;
use http::HeaderMap;

use super::change::change;
use crate::authentication::{Admin, Chat, WorkspaceAccess};
use crate::extractors::PathParams;
use crate::problem::Problem;
use crate::routes::instructions::of_automation;
use crate::routes::path_params::{AutomationPath, SessionPath, WorkspacePath};
use crate::server_state::ServerState;
use crate::shapes::instructions::{InstructionsEdit, InstructionsShape};

/// Clears the instructions of the workspace; earlier versions stay listed.
#[utoipa::path(
    delete,
    path = "/v1/workspaces/{w}/instructions",
    operation_id = "clear_workspace_instructions",
    tag = "instructions",
    params(WorkspacePath, ("If-Match" = String, Header)),
    responses((status = 200, body = InstructionsShape, headers(("ETag" = String)))),
    extensions(("x-scope" = json!("admin")))
)]
pub(crate) async fn clear_workspace_instructions(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Admin>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    change(&state, &caller, &headers, InstructionScope::Workspace, InstructionsEdit::none()).await
}

/// Clears the instructions of the runs of an automation; earlier versions stay listed.
#[utoipa::path(
    delete,
    path = "/v1/workspaces/{w}/automations/{a}/instructions",
    operation_id = "clear_automation_instructions",
    tag = "instructions",
    params(AutomationPath, ("If-Match" = String, Header)),
    responses((status = 200, body = InstructionsShape, headers(("ETag" = String)))),
    extensions(("x-scope" = json!("chat")))
)]
pub(crate) async fn clear_automation_instructions(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Chat>,
    PathParams(path): PathParams<AutomationPath>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    change(&state, &caller, &headers, of_automation(&path), InstructionsEdit::none()).await
}

/// Clears the instructions of a session; earlier versions stay listed.
#[utoipa::path(
    delete,
    path = "/v1/workspaces/{w}/sessions/{s}/instructions",
    operation_id = "clear_session_instructions",
    tag = "instructions",
    params(SessionPath, ("If-Match" = String, Header)),
    responses((status = 200, body = InstructionsShape, headers(("ETag" = String)))),
    extensions(("x-scope" = json!("chat")))
)]
pub(crate) async fn clear_session_instructions(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Chat>,
    PathParams(path): PathParams<SessionPath>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    change(&state, &caller, &headers, InstructionScope::Session(path.session()), InstructionsEdit::none())
        .await
}
