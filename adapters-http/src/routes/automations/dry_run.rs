//! Plays a run of an automation without side effects.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::use_cases::{DryRunAutomation, DryRunOptions, DryRunPorts};

use crate::authentication::{Chat, WorkspaceAccess};
use crate::extractors::{JsonBody, JsonResponse, JsonResult, PathParams};
use crate::routes::automations::automation;
use crate::routes::path_params::AutomationPath;
use crate::server_state::ServerState;
use crate::shapes::dry_run::{DryRunShape, NewDryRun};

/// Plays a run of an automation where it changes nothing: what its model would be asked, may use and needs approval for. Nothing is sent,
/// and nothing is stored, so it takes no key.
#[utoipa::path(
    post,
    path = "/v1/workspaces/{w}/automations/{a}/dry-runs",
    operation_id = "dry_run_automation",
    tag = "automations",
    params(AutomationPath),
    request_body = NewDryRun,
    responses((status = 200, body = DryRunShape)),
    extensions(("x-scope" = json!("chat")))
)]
pub(crate) async fn dry_run_automation(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Chat>,
    PathParams(path): PathParams<AutomationPath>,
    JsonBody(new): JsonBody<NewDryRun>,
) -> JsonResult<DryRunShape> {
    let found = automation(&state, caller.workspace(), &path.a).await?;
    let (ports, terms) = (&state.ports, &state.terms);
    let dry = DryRunAutomation::new(DryRunPorts {
        store: ports.store.clone(),
        log: ports.log.clone(),
        rows: ports.rows.clone(),
        automations: ports.automations.clone(),
        catalog: ports.catalog.get(),
        providers: ports.providers.clone(),
        stages: ports.dry_stages.clone(),
        clock: ports.clock.clone(),
        ids: ports.ids.clone(),
        calculator: ports.calculator.clone(),
        rules: terms.rules.clone(),
        settings: terms.runtime.clone(),
    })
    .for_reader(caller.reader());
    let played =
        dry.run(caller.workspace(), &found, DryRunOptions { script: new.script, event: new.event }).await?;
    Ok(JsonResponse(DryRunShape::from(&played)))
}
