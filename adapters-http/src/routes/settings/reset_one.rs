//! Restores the default of one setting of a workspace.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use http::HeaderMap;

use crate::authentication::{Admin, WorkspaceAccess};
use crate::extractors::PathParams;
use crate::problem::Problem;
use crate::routes::path_params::SettingPath;
use crate::routes::settings::put;
use crate::server_state::ServerState;
use crate::shapes::workspace::SettingShape;

/// Restores the default of one setting of a workspace.
#[utoipa::path(
    delete,
    path = "/v1/workspaces/{w}/settings/{key}",
    operation_id = "reset_setting",
    tag = "settings",
    params(SettingPath, ("If-Match" = String, Header)),
    responses((status = 200, body = SettingShape, headers(("ETag" = String)))),
    extensions(("x-scope" = json!("admin")))
)]
pub(crate) async fn reset_setting(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Admin>,
    PathParams(path): PathParams<SettingPath>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    put(&state, &caller, &headers, &path.key, None).await
}
