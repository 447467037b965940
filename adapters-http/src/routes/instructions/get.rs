//! The instructions of a workspace, of the runs of an automation, of a session.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use entracte_application::instructions::InstructionScope;

use crate::access::{Access, Caller, Read};
use crate::body::Path;
use crate::etag::Tag;
use crate::house::House;
use crate::problem::Problem;
use crate::routes::instructions::{of_automation, shape};
use crate::routes::path::{OfAutomation, OfSession, OfWorkspace};
use crate::routes::tagged;
use crate::shapes::instructions::InstructionsShape;

async fn get(house: &House, caller: &Caller, scope: &InstructionScope) -> Result<Response, Problem> {
    let shape = shape(house, caller.workspace(), scope).await?;
    Ok(tagged(Some(Tag::of(&shape)), shape))
}

/// The instructions of the workspace.
#[utoipa::path(
    get,
    path = "/v1/workspaces/{w}/instructions",
    operation_id = "get_workspace_instructions",
    tag = "instructions",
    params(OfWorkspace),
    responses((status = 200, body = InstructionsShape, headers(("ETag" = String)))),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn get_workspace_instructions(
    State(house): State<Arc<House>>,
    Access(caller, _): Access<Read>,
) -> Result<Response, Problem> {
    get(&house, &caller, &InstructionScope::Workspace).await
}

/// The instructions of the runs of an automation.
#[utoipa::path(
    get,
    path = "/v1/workspaces/{w}/automations/{a}/instructions",
    operation_id = "get_automation_instructions",
    tag = "instructions",
    params(OfAutomation),
    responses((status = 200, body = InstructionsShape, headers(("ETag" = String)))),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn get_automation_instructions(
    State(house): State<Arc<House>>,
    Access(caller, _): Access<Read>,
    Path(path): Path<OfAutomation>,
) -> Result<Response, Problem> {
    get(&house, &caller, &of_automation(&path)).await
}

/// The instructions of a session.
#[utoipa::path(
    get,
    path = "/v1/workspaces/{w}/sessions/{s}/instructions",
    operation_id = "get_session_instructions",
    tag = "instructions",
    params(OfSession),
    responses((status = 200, body = InstructionsShape, headers(("ETag" = String)))),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn get_session_instructions(
    State(house): State<Arc<House>>,
    Access(caller, _): Access<Read>,
    Path(path): Path<OfSession>,
) -> Result<Response, Problem> {
    get(&house, &caller, &InstructionScope::Session(path.session())).await
}
