//! A zone.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;

use crate::access::{Access, Read};
use crate::body::Path;
use crate::house::House;
use crate::problem::Problem;
use crate::routes::data::{ZONE, shown};
use crate::routes::path::OfZone;
use crate::shapes::data::DataShape;

/// A zone.
#[utoipa::path(
    get,
    path = "/v1/workspaces/{w}/zones/{z}",
    operation_id = "get_zone",
    tag = "data",
    params(OfZone),
    responses((status = 200, body = DataShape, headers(("ETag" = String)))),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn get_zone(
    State(house): State<Arc<House>>,
    Access(caller, _): Access<Read>,
    Path(path): Path<OfZone>,
) -> Result<Response, Problem> {
    shown(&house, caller.workspace(), ZONE, &path.z).await
}
