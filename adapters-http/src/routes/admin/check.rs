//! Runs the database's own integrity check, and replays every session.

use std::sync::Arc;

use axum::extract::State;
use http::HeaderMap;

use crate::authentication::{Admin, OperatorAccess};
use crate::extractors::{JsonResponse, JsonResult};
use crate::reader_language::reader_of;
use crate::routes::admin::refused;
use crate::server_state::ServerState;
use crate::shapes::admin::DatabaseCheckShape;

/// Checks the database, and replays every session.
#[utoipa::path(
    post,
    path = "/v1/admin/check",
    operation_id = "check_database",
    tag = "admin",
    responses((status = 200, body = DatabaseCheckShape)),
    extensions(("x-scope" = json!("admin")), ("x-reach" = json!("everywhere")))
)]
pub(crate) async fn check_database(
    State(state): State<Arc<ServerState>>,
    OperatorAccess(_operator, _): OperatorAccess<Admin>,
    headers: HeaderMap,
) -> JsonResult<DatabaseCheckShape> {
    Ok(JsonResponse(state.ports.operator.check(reader_of(&headers)).await.map_err(refused)?.into()))
}
