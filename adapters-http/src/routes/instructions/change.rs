//! Writes the instructions of a workspace, of the runs of an automation, or of a session.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use entracte_application::instructions::{InstructionScope, InstructionSource};
use entracte_application::use_cases::{InstructionUpdate, SetInstructions};
use http::HeaderMap;

use crate::authentication::{Admin, Chat, WorkspaceAccess, WorkspacePrincipal};
use crate::etag::{EntityTag, read_if_match};
use crate::extractors::{JsonBody, PathParams};
use crate::problem::Problem;
use crate::routes::instructions::{of_automation, shape};
use crate::routes::path_params::{AutomationPath, SessionPath, WorkspacePath};
use crate::routes::{require_unchanged, response_with_etag};
use crate::server_state::ServerState;
use crate::shapes::instructions::{InstructionsEdit, InstructionsShape};

/// Writes the instructions if the current version is the one that was read.
pub(super) async fn change(
    state: &ServerState,
    caller: &WorkspacePrincipal,
    headers: &HeaderMap,
    scope: InstructionScope,
    edit: InstructionsEdit,
) -> Result<Response, Problem> {
    let read = read_if_match(headers)?;
    let workspace = caller.workspace();
    let now = shape(state, workspace, &scope).await?;
    require_unchanged(&read, Some(EntityTag::from_content(&now)), &now)?;
    let text = Some(edit.text).filter(|text| !text.is_empty());
    let source = edit.file.map_or(InstructionSource::Written, InstructionSource::File);
    let telling = InstructionUpdate { text, source, expected: Some(now.version) };
    let set = SetInstructions::new(caller.mail_sender(state));
    set.run(workspace, scope.clone(), caller.author(), telling).await?;
    let shape = shape(state, workspace, &scope).await?;
    Ok(response_with_etag(Some(EntityTag::from_content(&shape)), shape))
}

/// Writes the instructions of the workspace.
#[utoipa::path(
    patch,
    path = "/v1/workspaces/{w}/instructions",
    operation_id = "change_workspace_instructions",
    tag = "instructions",
    params(WorkspacePath, ("If-Match" = String, Header)),
    request_body = InstructionsEdit,
    responses((status = 200, body = InstructionsShape, headers(("ETag" = String)))),
    extensions(("x-scope" = json!("admin")))
)]
pub(crate) async fn change_workspace_instructions(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Admin>,
    headers: HeaderMap,
    JsonBody(edit): JsonBody<InstructionsEdit>,
) -> Result<Response, Problem> {
    change(&state, &caller, &headers, InstructionScope::Workspace, edit).await
}

/// Writes the instructions of the runs of an automation.
#[utoipa::path(
    patch,
    path = "/v1/workspaces/{w}/automations/{a}/instructions",
    operation_id = "change_automation_instructions",
    tag = "instructions",
    params(AutomationPath, ("If-Match" = String, Header)),
    request_body = InstructionsEdit,
    responses((status = 200, body = InstructionsShape, headers(("ETag" = String)))),
    extensions(("x-scope" = json!("chat")))
)]
pub(crate) async fn change_automation_instructions(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Chat>,
    PathParams(path): PathParams<AutomationPath>,
    headers: HeaderMap,
    JsonBody(edit): JsonBody<InstructionsEdit>,
) -> Result<Response, Problem> {
    change(&state, &caller, &headers, of_automation(&path), edit).await
}

/// Writes the instructions of a session.
#[utoipa::path(
    patch,
    path = "/v1/workspaces/{w}/sessions/{s}/instructions",
    operation_id = "change_session_instructions",
    tag = "instructions",
    params(SessionPath, ("If-Match" = String, Header)),
    request_body = InstructionsEdit,
    responses((status = 200, body = InstructionsShape, headers(("ETag" = String)))),
    extensions(("x-scope" = json!("chat")))
)]
pub(crate) async fn change_session_instructions(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Chat>,
    PathParams(path): PathParams<SessionPath>,
    headers: HeaderMap,
    JsonBody(edit): JsonBody<InstructionsEdit>,
) -> Result<Response, Problem> {
    change(&state, &caller, &headers, InstructionScope::Session(path.session()), edit).await
}
