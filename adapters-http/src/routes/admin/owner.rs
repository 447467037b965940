//! Reads the owner of the database.

use std::sync::Arc;

use axum::extract::State;

use crate::authentication::{Admin, OperatorAccess};
use crate::extractors::{JsonResponse, JsonResult};
use crate::routes::admin::refused;
use crate::server_state::ServerState;
use crate::shapes::admin::{HolderShape, OwnerShape};

/// Who owns the database.
#[utoipa::path(
    get,
    path = "/v1/admin/owner",
    operation_id = "get_owner",
    tag = "admin",
    responses((status = 200, body = OwnerShape)),
    extensions(("x-scope" = json!("admin")), ("x-reach" = json!("everywhere")))
)]
pub(crate) async fn get_owner(
    State(state): State<Arc<ServerState>>,
    OperatorAccess(_operator, _): OperatorAccess<Admin>,
) -> JsonResult<OwnerShape> {
    let holder = state.ports.operator.holder().await.map_err(refused)?;
    Ok(JsonResponse(OwnerShape { here: (state.ports.owns)(), holder: holder.map(HolderShape::from) }))
}
