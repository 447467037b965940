//! One provider of the configuration, without its key.

use std::sync::Arc;

use axum::extract::State;

use crate::access::{Entrance, Read};
use crate::body::{Answer, Json, Path};
use crate::house::House;
use crate::routes::path::OfProvider;
use crate::routes::providers::entry;
use crate::shapes::workspace::ProviderShape;

/// One provider of the configuration, without its key.
#[utoipa::path(
    get,
    path = "/v1/providers/{p}",
    operation_id = "get_provider",
    tag = "providers",
    params(OfProvider),
    responses((status = 200, body = ProviderShape)),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn get_provider(
    State(house): State<Arc<House>>,
    Entrance(_visitor, _): Entrance<Read>,
    Path(path): Path<OfProvider>,
) -> Answer<ProviderShape> {
    Ok(Json(entry(&house, &path.p)?.into()))
}
