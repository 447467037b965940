//! The workspaces that the token reaches.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::use_cases::ListWorkspaces;

use crate::access::{Entrance, Read};
use crate::body::{Answer, Json, Query};
use crate::house::House;
use crate::page::{Page, PageQuery, cut};
use crate::shapes::workspace::WorkspaceShape;

/// The workspaces that the token reaches.
#[utoipa::path(
    get,
    path = "/v1/workspaces",
    operation_id = "list_workspaces",
    tag = "workspaces",
    params(PageQuery),
    responses((status = 200, body = Page<WorkspaceShape>)),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn list_workspaces(
    State(house): State<Arc<House>>,
    Entrance(visitor, _): Entrance<Read>,
    Query(query): Query<PageQuery>,
) -> Answer<Page<WorkspaceShape>> {
    let list = ListWorkspaces::new(house.ports.store.clone(), house.ports.log.clone());
    let mut views = list.run().await?;
    views.retain(|view| visitor.reach().covers(&view.key));
    let page = cut(views, "workspaces", &query, |view| view.key.to_string())?;
    Ok(Json(page.map(|view| WorkspaceShape::from(&view))))
}
