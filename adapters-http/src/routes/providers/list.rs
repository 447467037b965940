//! The providers of the configuration, without their keys.

use std::sync::Arc;

use axum::extract::State;

use crate::access::{Entrance, Read};
use crate::body::{Answer, Json, Query};
use crate::house::House;
use crate::page::{Page, PageQuery, cut};
use crate::shapes::workspace::ProviderShape;

/// The providers of the configuration, without their keys.
#[utoipa::path(
    get,
    path = "/v1/providers",
    operation_id = "list_providers",
    tag = "providers",
    params(PageQuery),
    responses((status = 200, body = Page<ProviderShape>)),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn list_providers(
    State(house): State<Arc<House>>,
    Entrance(_visitor, _): Entrance<Read>,
    Query(query): Query<PageQuery>,
) -> Answer<Page<ProviderShape>> {
    let shapes = house.terms.providers.iter().map(ProviderShape::from).collect();
    Ok(Json(cut(shapes, "providers", &query, |shape: &ProviderShape| shape.name.clone())?))
}
