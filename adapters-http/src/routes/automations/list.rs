//! The automations of a workspace, by name.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::use_cases::{AutomationView, ListAutomations};

use crate::access::{Access, Read};
use crate::body::{Answer, Json, Query};
use crate::house::House;
use crate::page::{Page, PageQuery, cut};
use crate::routes::path::OfWorkspace;
use crate::shapes::automation::AutomationShape;

/// The automations of a workspace, by name.
#[utoipa::path(
    get,
    path = "/v1/workspaces/{w}/automations",
    operation_id = "list_automations",
    tag = "automations",
    params(OfWorkspace, PageQuery),
    responses((status = 200, body = Page<AutomationShape>)),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn list_automations(
    State(house): State<Arc<House>>,
    Access(caller, _): Access<Read>,
    Query(query): Query<PageQuery>,
) -> Answer<Page<AutomationShape>> {
    let all = ListAutomations::new(house.ports.automations.clone()).run(caller.workspace()).await?;
    let list = format!("automations {}", caller.workspace());
    let key = |view: &AutomationView| format!("{} {}", view.automation.name, view.automation.id);
    Ok(Json(cut(all.views, &list, &query, key)?.map(|view| AutomationShape::from(&view))))
}
