//! Tells a target something now, to see whether it works.

use std::sync::Arc;

use axum::extract::State;

use crate::access::{Access, Approve};
use crate::body::{Answer, Json, Path};
use crate::house::House;
use crate::routes::path::OfTarget;
use crate::routes::targets::{may_touch, target};
use crate::shapes::target::TestedShape;

/// Sends a test notification to a target now.
#[utoipa::path(
    post,
    path = "/v1/workspaces/{w}/targets/{target}/test",
    operation_id = "test_target",
    tag = "targets",
    params(OfTarget),
    responses((status = 200, body = TestedShape)),
    extensions(("x-scope" = json!("approve")))
)]
pub(crate) async fn test_target(
    State(house): State<Arc<House>>,
    Access(caller, _): Access<Approve>,
    Path(path): Path<OfTarget>,
) -> Answer<TestedShape> {
    let view = target(&house, &caller, &path.target).await?;
    may_touch(&caller, &view.target)?;
    Ok(Json(house.ports.notifier.test(&view.target).await?.into()))
}
