//! The settings of the process, with where each comes from; of secrets only where they are kept.

use std::sync::Arc;

use axum::extract::State;

use crate::access::{Admin, Everywhere};
use crate::body::{Answer, Json};
use crate::house::House;
use crate::shapes::admin::{ConfigShape, InForceShape};

/// The settings of the process, with where each comes from; of secrets only where they are kept.
#[utoipa::path(
    get,
    path = "/v1/admin/config",
    operation_id = "get_config",
    tag = "admin",
    responses((status = 200, body = ConfigShape)),
    extensions(("x-scope" = json!("admin")), ("x-reach" = json!("everywhere")))
)]
pub(crate) async fn get_config(
    State(house): State<Arc<House>>,
    Everywhere(_operator, _): Everywhere<Admin>,
) -> Answer<ConfigShape> {
    let settings = house.ports.operator.in_force();
    Ok(Json(ConfigShape { settings: settings.into_iter().map(InForceShape::from).collect() }))
}
