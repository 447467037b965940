//! Checks everything the process depends on, without network requests.

use std::sync::Arc;

use axum::extract::State;
use http::HeaderMap;

use crate::authentication::{Admin, OperatorAccess};
use crate::extractors::{JsonResponse, JsonResult};
use crate::reader_language::reader_of;
use crate::routes::admin::refused;
use crate::server_state::ServerState;
use crate::shapes::admin::{CheckShape, DoctorShape};

/// Checks everything that the process depends on; sends nothing anywhere.
#[utoipa::path(
    get,
    path = "/v1/admin/doctor",
    operation_id = "get_doctor",
    tag = "admin",
    responses((status = 200, body = DoctorShape)),
    extensions(("x-scope" = json!("admin")), ("x-reach" = json!("everywhere")))
)]
pub(crate) async fn get_doctor(
    State(state): State<Arc<ServerState>>,
    OperatorAccess(_operator, _): OperatorAccess<Admin>,
    headers: HeaderMap,
) -> JsonResult<DoctorShape> {
    let reader = reader_of(&headers);
    let checks = state.ports.operator.run_health_checks(false, reader).await.map_err(refused)?;
    Ok(JsonResponse(DoctorShape { checks: checks.into_iter().map(CheckShape::from).collect() }))
}
