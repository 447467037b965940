//! Reads one setting of a workspace.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;

use crate::authentication::{Read, WorkspaceAccess};
use crate::extractors::PathParams;
use crate::problem::Problem;
use crate::routes::path_params::SettingPath;
use crate::routes::response_with_etag;
use crate::routes::settings::setting;
use crate::server_state::ServerState;
use crate::shapes::workspace::SettingShape;

/// One setting of a workspace.
#[utoipa::path(
    get,
    path = "/v1/workspaces/{w}/settings/{key}",
    operation_id = "get_setting",
    tag = "settings",
    params(SettingPath),
    responses((status = 200, body = SettingShape, headers(("ETag" = String)))),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn get_setting(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Read>,
    PathParams(path): PathParams<SettingPath>,
) -> Result<Response, Problem> {
    let shape = setting(&state, &caller, &path.key).await?;
    Ok(response_with_etag(Some(shape.tag()), shape))
}
