//! Creates a backup of the database in the backup folder.

use std::sync::Arc;

use axum::extract::State;
use http::StatusCode;

use crate::authentication::{Admin, OperatorAccess};
use crate::extractors::JsonResponse;
use crate::problem::Problem;
use crate::routes::admin::refused;
use crate::server_state::ServerState;
use crate::shapes::admin::BackupShape;

/// Makes a backup of the database, in the folder of backups.
#[utoipa::path(
    post,
    path = "/v1/admin/backups",
    operation_id = "make_backup",
    tag = "admin",
    responses((status = 201, body = BackupShape)),
    extensions(("x-scope" = json!("admin")), ("x-reach" = json!("everywhere")))
)]
pub(crate) async fn make_backup(
    State(state): State<Arc<ServerState>>,
    OperatorAccess(_operator, _): OperatorAccess<Admin>,
) -> Result<(StatusCode, JsonResponse<BackupShape>), Problem> {
    let file = state.ports.operator.back_up().await.map_err(refused)?;
    Ok((StatusCode::CREATED, JsonResponse(BackupShape { file })))
}
