//! Checks everything the process depends on, including services behind the network.

use std::sync::Arc;

use axum::extract::State;
use http::HeaderMap;

use crate::authentication::{Admin, OperatorAccess};
use crate::extractors::{JsonResponse, JsonResult};
use crate::reader_language::reader_of;
use crate::routes::admin::refused;
use crate::server_state::ServerState;
use crate::shapes::admin::{CheckShape, DoctorShape};

/// Checks everything that the process depends on, and asks each provider, tool and server of the configuration whether it
/// answers.
#[utoipa::path(
    post,
    path = "/v1/admin/doctor",
    operation_id = "ask_around",
    tag = "admin",
    responses((status = 200, body = DoctorShape)),
    extensions(("x-scope" = json!("admin")), ("x-reach" = json!("everywhere")))
)]
pub(crate) async fn run_full_doctor(
    State(state): State<Arc<ServerState>>,
    OperatorAccess(_operator, _): OperatorAccess<Admin>,
    headers: HeaderMap,
) -> JsonResult<DoctorShape> {
    let reader = reader_of(&headers);
    let checks = state.ports.operator.run_health_checks(true, reader).await.map_err(refused)?;
    Ok(JsonResponse(DoctorShape { checks: checks.into_iter().map(CheckShape::from).collect() }))
}
