//! Deletes an automation; its runs and its occurrences stay.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::use_cases::DeleteAutomation;
use http::{HeaderMap, StatusCode};

use crate::authentication::{Chat, WorkspaceAccess};
use crate::etag::read_if_match;
use crate::extractors::PathParams;
use crate::problem::Problem;
use crate::routes::automations::{automation, automation_details};
use crate::routes::path_params::AutomationPath;
use crate::routes::require_unchanged;
use crate::server_state::ServerState;
use crate::shapes::automation::tag;

/// Deletes an automation; its runs and its occurrences stay.
#[utoipa::path(
    delete,
    path = "/v1/workspaces/{w}/automations/{a}",
    operation_id = "delete_automation",
    tag = "automations",
    params(AutomationPath, ("If-Match" = String, Header)),
    responses((status = 204)),
    extensions(("x-scope" = json!("chat")))
)]
pub(crate) async fn delete_automation(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Chat>,
    PathParams(path): PathParams<AutomationPath>,
    headers: HeaderMap,
) -> Result<StatusCode, Problem> {
    let read = read_if_match(&headers)?;
    let workspace = caller.workspace();
    let found = automation(&state, workspace, &path.a).await?;
    require_unchanged(
        &read,
        Some(tag(&found)),
        &automation_details(&state, workspace, found.clone()).await?,
    )?;
    let delete = DeleteAutomation::new(caller.mail_sender(&state));
    delete.run(workspace, caller.author(), &found.id).await?;
    Ok(StatusCode::NO_CONTENT)
}
