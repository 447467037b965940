//! Runs an automation now.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::use_cases::RunAutomation;
use http::StatusCode;

use crate::authentication::{Chat, WorkspaceAccess};
use crate::extractors::{JsonBody, JsonResponse, PathParams};
use crate::problem::Problem;
use crate::routes::automations::automation;
use crate::routes::path_params::AutomationPath;
use crate::server_state::ServerState;
use crate::shapes::automation::NewRun;
use crate::shapes::session::AcceptedShape;

/// Runs an automation now.
#[utoipa::path(
    post,
    path = "/v1/workspaces/{w}/automations/{a}/runs",
    operation_id = "run_automation",
    tag = "automations",
    params(AutomationPath),
    request_body = NewRun,
    responses((status = 201, body = AcceptedShape)),
    extensions(("x-scope" = json!("chat")))
)]
pub(crate) async fn run_automation(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Chat>,
    PathParams(path): PathParams<AutomationPath>,
    JsonBody(new): JsonBody<NewRun>,
) -> Result<(StatusCode, JsonResponse<AcceptedShape>), Problem> {
    let found = automation(&state, caller.workspace(), &path.a).await?;
    let run = RunAutomation::new(caller.mail_sender(&state), state.ports.ids.clone());
    let begun = run.run(caller.workspace(), caller.author(), &found.id, new.event).await?;
    Ok((StatusCode::CREATED, JsonResponse(begun.into())))
}
