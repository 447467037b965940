//! Writes the instructions of a workspace, of the runs of an automation, of a session.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use entracte_application::instructions::{InstructionScope, InstructionSource};
use entracte_application::use_cases::{InstructionUpdate, SetInstructions};
use http::HeaderMap;

use crate::access::{Access, Admin, Caller, Chat};
use crate::body::{Body, Path};
use crate::etag::{Tag, if_match};
use crate::house::House;
use crate::problem::Problem;
use crate::routes::instructions::{of_automation, shape};
use crate::routes::path::{OfAutomation, OfSession, OfWorkspace};
use crate::routes::{must_match, tagged};
use crate::shapes::instructions::{InstructionsEdit, InstructionsShape};

/// Writes those that are what was read.
pub(super) async fn change(
    house: &House,
    caller: &Caller,
    headers: &HeaderMap,
    (scope, edit): (InstructionScope, InstructionsEdit),
) -> Result<Response, Problem> {
    let read = if_match(headers)?;
    let workspace = caller.workspace();
    let now = shape(house, workspace, &scope).await?;
    must_match(&read, Some(Tag::of(&now)), &now)?;
    let text = Some(edit.text).filter(|text| !text.is_empty());
    let source = edit.file.map_or(InstructionSource::Written, InstructionSource::File);
    let telling = InstructionUpdate { text, source, expected: Some(now.version) };
    let set = SetInstructions::new(caller.sender(house));
    set.run(workspace, scope.clone(), caller.author(), telling).await?;
    let shape = shape(house, workspace, &scope).await?;
    Ok(tagged(Some(Tag::of(&shape)), shape))
}

/// Writes the instructions of the workspace.
#[utoipa::path(
    patch,
    path = "/v1/workspaces/{w}/instructions",
    operation_id = "change_workspace_instructions",
    tag = "instructions",
    params(OfWorkspace, ("If-Match" = String, Header)),
    request_body = InstructionsEdit,
    responses((status = 200, body = InstructionsShape, headers(("ETag" = String)))),
    extensions(("x-scope" = json!("admin")))
)]
pub(crate) async fn change_workspace_instructions(
    State(house): State<Arc<House>>,
    Access(caller, _): Access<Admin>,
    headers: HeaderMap,
    Body(edit): Body<InstructionsEdit>,
) -> Result<Response, Problem> {
    change(&house, &caller, &headers, (InstructionScope::Workspace, edit)).await
}

/// Writes the instructions of the runs of an automation.
#[utoipa::path(
    patch,
    path = "/v1/workspaces/{w}/automations/{a}/instructions",
    operation_id = "change_automation_instructions",
    tag = "instructions",
    params(OfAutomation, ("If-Match" = String, Header)),
    request_body = InstructionsEdit,
    responses((status = 200, body = InstructionsShape, headers(("ETag" = String)))),
    extensions(("x-scope" = json!("chat")))
)]
pub(crate) async fn change_automation_instructions(
    State(house): State<Arc<House>>,
    Access(caller, _): Access<Chat>,
    Path(path): Path<OfAutomation>,
    headers: HeaderMap,
    Body(edit): Body<InstructionsEdit>,
) -> Result<Response, Problem> {
    change(&house, &caller, &headers, (of_automation(&path), edit)).await
}

/// Writes the instructions of a session.
#[utoipa::path(
    patch,
    path = "/v1/workspaces/{w}/sessions/{s}/instructions",
    operation_id = "change_session_instructions",
    tag = "instructions",
    params(OfSession, ("If-Match" = String, Header)),
    request_body = InstructionsEdit,
    responses((status = 200, body = InstructionsShape, headers(("ETag" = String)))),
    extensions(("x-scope" = json!("chat")))
)]
pub(crate) async fn change_session_instructions(
    State(house): State<Arc<House>>,
    Access(caller, _): Access<Chat>,
    Path(path): Path<OfSession>,
    headers: HeaderMap,
    Body(edit): Body<InstructionsEdit>,
) -> Result<Response, Problem> {
    change(&house, &caller, &headers, (InstructionScope::Session(path.session()), edit)).await
}
