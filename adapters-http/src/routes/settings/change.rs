//! Changes settings of a workspace: all of them, or none.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use entracte_application::use_cases::{ChangeSettings, settings_of};
use http::HeaderMap;

use crate::authentication::{Admin, WorkspaceAccess};
use crate::etag::read_if_match;
use crate::extractors::JsonBody;
use crate::problem::Problem;
use crate::routes::path_params::WorkspacePath;
use crate::routes::settings::check_approval_settings;
use crate::routes::{require_unchanged, response_with_etag, settings_shape};
use crate::server_state::ServerState;
use crate::shapes::workspace::{SettingsEdit, SettingsShape};

/// Changes settings of a workspace, all or none.
#[utoipa::path(
    patch,
    path = "/v1/workspaces/{w}/settings",
    operation_id = "change_settings",
    tag = "settings",
    params(WorkspacePath, ("If-Match" = String, Header)),
    request_body = SettingsEdit,
    responses((status = 200, body = SettingsShape, headers(("ETag" = String)))),
    extensions(("x-scope" = json!("admin")))
)]
pub(crate) async fn change_settings(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Admin>,
    headers: HeaderMap,
    JsonBody(edit): JsonBody<SettingsEdit>,
) -> Result<Response, Problem> {
    let read = read_if_match(&headers)?;
    let (store, workspace) = (&*state.ports.store, caller.workspace());
    let settings = settings_of(store, workspace).await?;
    let now = settings_shape(&state, &settings, caller.reader());
    require_unchanged(&read, Some(now.tag()), &now)?;
    let changes: Vec<_> = edit.settings.into_iter().collect();
    check_approval_settings(&caller, &settings, &changes)?;
    ChangeSettings::new(caller.mail_sender(&state)).run(workspace, caller.author(), changes).await?;
    let shape = settings_shape(&state, &settings_of(store, workspace).await?, caller.reader());
    Ok(response_with_etag(Some(shape.tag()), shape))
}
