//! Reads an automation, with the message its runs begin with.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;

use crate::authentication::{Read, WorkspaceAccess};
use crate::extractors::PathParams;
use crate::problem::Problem;
use crate::routes::automations::{automation, automation_details};
use crate::routes::path_params::AutomationPath;
use crate::routes::response_with_etag;
use crate::server_state::ServerState;
use crate::shapes::automation::{AutomationShape, tag};

/// An automation, with what its runs begin with.
#[utoipa::path(
    get,
    path = "/v1/workspaces/{w}/automations/{a}",
    operation_id = "get_automation",
    tag = "automations",
    params(AutomationPath),
    responses((status = 200, body = AutomationShape, headers(("ETag" = String)))),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn get_automation(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Read>,
    PathParams(path): PathParams<AutomationPath>,
) -> Result<Response, Problem> {
    let automation = automation(&state, caller.workspace(), &path.a).await?;
    let tag = tag(&automation);
    Ok(response_with_etag(Some(tag), automation_details(&state, caller.workspace(), automation).await?))
}
