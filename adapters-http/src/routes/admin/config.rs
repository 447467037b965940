//! Reads the settings of the process with their origins; secrets only as references.

use std::sync::Arc;

use axum::extract::State;

use crate::authentication::{Admin, OperatorAccess};
use crate::extractors::{JsonResponse, JsonResult};
use crate::server_state::ServerState;
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
    State(state): State<Arc<ServerState>>,
    OperatorAccess(_operator, _): OperatorAccess<Admin>,
) -> JsonResult<ConfigShape> {
    let settings = state.ports.operator.effective_settings();
    let settings = settings.into_iter().map(InForceShape::from).collect();
    Ok(JsonResponse(ConfigShape { settings, pending: state.ports.config_entries.pending_entries() }))
}
