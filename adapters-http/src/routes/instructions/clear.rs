//! Clears the instructions of a workspace, of the runs of an automation, of a session. Earlier versions stay listed.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use entracte_application::instructions::InstructionScope;
use http::HeaderMap;

use super::change::change;
use crate::access::{Access, Admin, Chat};
use crate::body::Path;
use crate::house::House;
use crate::problem::Problem;
use crate::routes::instructions::of_automation;
use crate::routes::path::{OfAutomation, OfSession, OfWorkspace};
use crate::shapes::instructions::{InstructionsEdit, InstructionsShape};

/// Clears the instructions of the workspace; earlier versions stay listed.
#[utoipa::path(
    delete,
    path = "/v1/workspaces/{w}/instructions",
    operation_id = "clear_workspace_instructions",
    tag = "instructions",
    params(OfWorkspace, ("If-Match" = String, Header)),
    responses((status = 200, body = InstructionsShape, headers(("ETag" = String)))),
    extensions(("x-scope" = json!("admin")))
)]
pub(crate) async fn clear_workspace_instructions(
    State(house): State<Arc<House>>,
    Access(caller, _): Access<Admin>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    change(&house, &caller, &headers, (InstructionScope::Workspace, InstructionsEdit::none())).await
}

/// Clears the instructions of the runs of an automation; earlier versions stay listed.
#[utoipa::path(
    delete,
    path = "/v1/workspaces/{w}/automations/{a}/instructions",
    operation_id = "clear_automation_instructions",
    tag = "instructions",
    params(OfAutomation, ("If-Match" = String, Header)),
    responses((status = 200, body = InstructionsShape, headers(("ETag" = String)))),
    extensions(("x-scope" = json!("chat")))
)]
pub(crate) async fn clear_automation_instructions(
    State(house): State<Arc<House>>,
    Access(caller, _): Access<Chat>,
    Path(path): Path<OfAutomation>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    change(&house, &caller, &headers, (of_automation(&path), InstructionsEdit::none())).await
}

/// Clears the instructions of a session; earlier versions stay listed.
#[utoipa::path(
    delete,
    path = "/v1/workspaces/{w}/sessions/{s}/instructions",
    operation_id = "clear_session_instructions",
    tag = "instructions",
    params(OfSession, ("If-Match" = String, Header)),
    responses((status = 200, body = InstructionsShape, headers(("ETag" = String)))),
    extensions(("x-scope" = json!("chat")))
)]
pub(crate) async fn clear_session_instructions(
    State(house): State<Arc<House>>,
    Access(caller, _): Access<Chat>,
    Path(path): Path<OfSession>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    change(&house, &caller, &headers, (InstructionScope::Session(path.session()), InstructionsEdit::none()))
        .await
}
