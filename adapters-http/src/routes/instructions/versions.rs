//! Lists the stored versions of instructions, the latest first.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::instructions::InstructionScope;

use crate::authentication::{Read, WorkspaceAccess, WorkspacePrincipal};
use crate::extractors::{JsonResponse, JsonResult, PathParams, QueryParams};
use crate::pagination::{Page, PageQuery, page_after_cursor, page_limit, read_cursor_key};
use crate::routes::instructions::{of_automation, reader};
use crate::routes::path_params::{AutomationPath, SessionPath, WorkspacePath};
use crate::server_state::ServerState;
use crate::shapes::instructions::InstructionsShape;

async fn versions(
    state: &ServerState,
    caller: &WorkspacePrincipal,
    scope: &InstructionScope,
    query: &PageQuery,
) -> JsonResult<Page<InstructionsShape>> {
    let workspace = caller.workspace();
    let list = format!("instructions {workspace} {}", scope.name());
    let before = read_cursor_key(&list, query)?.and_then(|key| key.parse().ok());
    let more = u32::try_from(page_limit(query)? + 1).unwrap_or(u32::MAX);
    let found = reader(state).versions(workspace, scope, before, more).await?;
    let page = page_after_cursor(found, &list, query, |found| found.version.to_string())?;
    Ok(JsonResponse(page.map(|found| InstructionsShape::new(scope, Some(&found)))))
}

/// The versions of the instructions of the workspace that are kept, the latest first.
#[utoipa::path(
    get,
    path = "/v1/workspaces/{w}/instructions/versions",
    operation_id = "list_workspace_instructions",
    tag = "instructions",
    params(WorkspacePath, PageQuery),
    responses((status = 200, body = Page<InstructionsShape>)),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn list_workspace_instructions(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Read>,
    QueryParams(query): QueryParams<PageQuery>,
) -> JsonResult<Page<InstructionsShape>> {
    versions(&state, &caller, &InstructionScope::Workspace, &query).await
}

/// The versions of the instructions of the runs of an automation that are kept, the latest first.
#[utoipa::path(
    get,
    path = "/v1/workspaces/{w}/automations/{a}/instructions/versions",
    operation_id = "list_automation_instructions",
    tag = "instructions",
    params(AutomationPath, PageQuery),
    responses((status = 200, body = Page<InstructionsShape>)),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn list_automation_instructions(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Read>,
    PathParams(path): PathParams<AutomationPath>,
    QueryParams(query): QueryParams<PageQuery>,
) -> JsonResult<Page<InstructionsShape>> {
    versions(&state, &caller, &of_automation(&path), &query).await
}

/// The versions of the instructions of a session that are kept, the latest first.
#[utoipa::path(
    get,
    path = "/v1/workspaces/{w}/sessions/{s}/instructions/versions",
    operation_id = "list_session_instructions",
    tag = "instructions",
    params(SessionPath, PageQuery),
    responses((status = 200, body = Page<InstructionsShape>)),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn list_session_instructions(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Read>,
    PathParams(path): PathParams<SessionPath>,
    QueryParams(query): QueryParams<PageQuery>,
) -> JsonResult<Page<InstructionsShape>> {
    versions(&state, &caller, &InstructionScope::Session(path.session()), &query).await
}
