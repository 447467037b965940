//! The commands of the catalog, by name.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::use_cases::settings_of;

use crate::access::{Access, Read};
use crate::body::{Answer, Json, Query};
use crate::house::House;
use crate::page::{Page, PageQuery, cut};
use crate::routes::path::OfWorkspace;
use crate::shapes::workspace::CommandShape;

/// The commands of the catalog, by name.
#[utoipa::path(
    get,
    path = "/v1/workspaces/{w}/commands",
    operation_id = "list_commands",
    tag = "commands",
    params(OfWorkspace, PageQuery),
    responses((status = 200, body = Page<CommandShape>)),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn list_commands(
    State(house): State<Arc<House>>,
    Access(caller, _): Access<Read>,
    Query(query): Query<PageQuery>,
) -> Answer<Page<CommandShape>> {
    let language = settings_of(&*house.ports.store, caller.workspace()).await?.language;
    let catalog = (house.ports.catalog)();
    let shapes = catalog.specs().iter().map(|spec| CommandShape::new(spec, language)).collect();
    Ok(Json(cut(shapes, "commands", &query, |shape: &CommandShape| shape.name.clone())?))
}
