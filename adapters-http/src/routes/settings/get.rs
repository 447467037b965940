//! Reads the settings of a workspace.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use entracte_application::use_cases::settings_of;

use crate::authentication::{Read, WorkspaceAccess};
use crate::problem::Problem;
use crate::routes::path_params::WorkspacePath;
use crate::routes::{response_with_etag, settings_shape};
use crate::server_state::ServerState;
use crate::shapes::workspace::SettingsShape;

/// The settings of a workspace.
#[utoipa::path(
    get,
    path = "/v1/workspaces/{w}/settings",
    operation_id = "get_settings",
    tag = "settings",
    params(WorkspacePath),
    responses((status = 200, body = SettingsShape, headers(("ETag" = String)))),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn get_settings(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Read>,
) -> Result<Response, Problem> {
    let settings = settings_of(&*state.ports.store, caller.workspace()).await?;
    let shape = settings_shape(&state, &settings, caller.reader());
    Ok(response_with_etag(Some(shape.tag()), shape))
}
