//! A target.

use std::sync::Arc;

use axum::extract::State;

use crate::access::{Access, Read};
use crate::body::{Answer, Json, Path};
use crate::house::House;
use crate::routes::path::OfTarget;
use crate::routes::targets::{shape, target};
use crate::shapes::target::TargetShape;

/// A target.
#[utoipa::path(
    get,
    path = "/v1/workspaces/{w}/targets/{target}",
    operation_id = "get_target",
    tag = "targets",
    params(OfTarget),
    responses((status = 200, body = TargetShape)),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn get_target(
    State(house): State<Arc<House>>,
    Access(caller, _): Access<Read>,
    Path(path): Path<OfTarget>,
) -> Answer<TargetShape> {
    Ok(Json(shape(&house, &target(&house, &caller, &path.target).await?).await?))
}
