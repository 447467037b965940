//! The zones of a workspace, by name.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::ports::ResourceFilter;

use crate::access::{Access, Read};
use crate::body::{Answer, Json, Query};
use crate::house::House;
use crate::page::{Page, PageQuery};
use crate::routes::data::{ZONE, page};
use crate::routes::path::OfWorkspace;
use crate::shapes::data::DataShape;

/// The zones of a workspace, by name.
#[utoipa::path(
    get,
    path = "/v1/workspaces/{w}/zones",
    operation_id = "list_zones",
    tag = "data",
    params(OfWorkspace, PageQuery),
    responses((status = 200, body = Page<DataShape>)),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn list_zones(
    State(house): State<Arc<House>>,
    Access(caller, _): Access<Read>,
    Query(query): Query<PageQuery>,
) -> Answer<Page<DataShape>> {
    let filter = ResourceFilter { kind: ZONE.to_owned(), ..ResourceFilter::default() };
    Ok(Json(page(&house, caller.workspace(), filter, &query).await?))
}
