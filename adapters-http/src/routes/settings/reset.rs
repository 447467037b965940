//! Puts the defaults of all settings of a workspace back.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use entracte_application::use_cases::{ChangeSettings, settings_of};
use http::HeaderMap;

use crate::access::{Admin, WorkspaceAccess};
use crate::etag::{EntityTag, if_match};
use crate::house::ServerState;
use crate::problem::Problem;
use crate::routes::path::WorkspacePath;
use crate::routes::settings::check_four_eyes;
use crate::routes::{must_match, tagged};
use crate::shapes::workspace::SettingsShape;

/// Restores the defaults of all settings of a workspace, all or none.
#[utoipa::path(
    delete,
    path = "/v1/workspaces/{w}/settings",
    operation_id = "reset_settings",
    tag = "settings",
    params(WorkspacePath, ("If-Match" = String, Header)),
    responses((status = 200, body = SettingsShape, headers(("ETag" = String)))),
    extensions(("x-scope" = json!("admin")))
)]
pub(crate) async fn reset_settings(
    State(house): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Admin>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let read = if_match(&headers)?;
    let (store, workspace) = (&*house.ports.store, caller.workspace());
    let settings = settings_of(store, workspace).await?;
    let now = SettingsShape::from(&settings);
    must_match(&read, Some(EntityTag::of(&now)), &now)?;
    let changes: Vec<_> = now.settings.iter().map(|setting| (setting.key.to_owned(), None)).collect();
    check_four_eyes(&caller, &settings, &changes)?;
    ChangeSettings::new(caller.sender(&house)).run(workspace, caller.author(), changes).await?;
    let shape = SettingsShape::from(&settings_of(store, workspace).await?);
    Ok(tagged(Some(EntityTag::of(&shape)), shape))
}
