//! One provider of the configuration, without its key.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;

use crate::access::{Entrance, Read};
use crate::body::Path;
use crate::etag::Tag;
use crate::house::House;
use crate::problem::Problem;
use crate::routes::admin::refused;
use crate::routes::path::OfProvider;
use crate::routes::providers::entry;
use crate::routes::tagged;
use crate::shapes::workspace::ProviderShape;

/// One provider of the configuration, without its key, as it is in force. Its tag is that of its entry in the configuration file
/// of the server, as the file is now; one that comes from elsewhere has none.
#[utoipa::path(
    get,
    path = "/v1/providers/{p}",
    operation_id = "get_provider",
    tag = "providers",
    params(OfProvider),
    responses((status = 200, body = ProviderShape, headers(("ETag" = String)))),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn get_provider(
    State(house): State<Arc<House>>,
    Entrance(_visitor, _): Entrance<Read>,
    Path(path): Path<OfProvider>,
) -> Result<Response, Problem> {
    let shape = ProviderShape::from(entry(&house, &path.p)?);
    let tag = house.ports.operator.provider_tag(&path.p).map_err(refused)?;
    Ok(tagged(tag.map(|tag| Tag::new(tag.as_str())), shape))
}
