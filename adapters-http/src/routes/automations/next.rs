//! Lists the next ten instants of an automation.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::use_cases::PreviewNextOccurrences;

use crate::authentication::{Read, WorkspaceAccess};
use crate::extractors::{JsonResponse, JsonResult, PathParams};
use crate::routes::automations::automation;
use crate::routes::path_params::AutomationPath;
use crate::server_state::ServerState;
use crate::shapes::automation::ComingShape;
use crate::shapes::iso;

/// The next ten instants of an automation.
#[utoipa::path(
    get,
    path = "/v1/workspaces/{w}/automations/{a}/next",
    operation_id = "next_occurrences",
    tag = "automations",
    params(AutomationPath),
    responses((status = 200, body = ComingShape)),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn next_occurrences(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Read>,
    PathParams(path): PathParams<AutomationPath>,
) -> JsonResult<ComingShape> {
    let found = automation(&state, caller.workspace(), &path.a).await?;
    let next = PreviewNextOccurrences::new(state.ports.calculator.clone(), state.ports.clock.clone());
    let coming = next.run(&found, INSTANTS);
    Ok(JsonResponse(ComingShape {
        instants: coming.instants.into_iter().map(iso).collect(),
        fault: coming.fault.map(|fault| fault.to_string()),
    }))
}

/// Number of listed instants.
const INSTANTS: usize = 10;
