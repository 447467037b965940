//! Lists the automations of a workspace, by name.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::use_cases::{AutomationView, ListAutomations};

use crate::authentication::{Read, WorkspaceAccess};
use crate::extractors::{JsonResponse, JsonResult, QueryParams};
use crate::pagination::{Page, PageQuery, page_of_list};
use crate::routes::path_params::WorkspacePath;
use crate::server_state::ServerState;
use crate::shapes::automation::{AutomationPageShape, AutomationShape, DamagedAutomationShape};

/// The automations of a workspace, by name.
#[utoipa::path(
    get,
    path = "/v1/workspaces/{w}/automations",
    operation_id = "list_automations",
    tag = "automations",
    params(WorkspacePath, PageQuery),
    responses((status = 200, body = AutomationPageShape)),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn list_automations(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Read>,
    QueryParams(query): QueryParams<PageQuery>,
) -> JsonResult<AutomationPageShape> {
    let all = ListAutomations::new(state.ports.automations.clone()).run(caller.workspace()).await?;
    let list = format!("automations {}", caller.workspace());
    let key = |view: &AutomationView| format!("{} {}", view.automation.name, view.automation.id);
    let damaged = all.damaged.iter().map(DamagedAutomationShape::from).collect();
    let Page { items, next } = page_of_list(all.views, &list, &query, key)?;
    let items = items.iter().map(AutomationShape::from).collect();
    Ok(JsonResponse(AutomationPageShape { items, next, damaged }))
}
